import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { transform } from 'esbuild';
import { injectedScriptIn, readInjectedScript } from '../../../src/service/browsers/live-view/picking/picker.ts';

const folder = dirname(createRequire(import.meta.url).resolve('playwright-core/package.json'));

describe("Playwright's injected script", () => {
  it('is found in its bundle, and in one that is shortened as in packages', async () => {
    const script = await readInjectedScript(folder);
    assert.match(script, /generateSelectorSimple/);
    const bundle = await readFile(join(folder, 'lib', 'coreBundle.js'), 'utf8');
    const shorter = await transform(bundle, { minifyWhitespace: true, minifySyntax: true, legalComments: 'none' });
    assert.equal(injectedScriptIn(shorter.code), script);
  });

  it('is missing in an honest way', () => {
    assert.throws(() => injectedScriptIn('var nothing;'), /no script for locators/);
  });
});

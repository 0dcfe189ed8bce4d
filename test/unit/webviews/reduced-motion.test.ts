import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { repository } from '../../harness/folders.ts';

describe('the styles of the webviews', () => {
  it('animate nothing if reduced motion is set in the system or in VS Code', async () => {
    const calm = /@media\s?\(prefers-reduced-motion:\s?no-preference\)\{((?:[^{}]*\{[^{}]*\})*)\}/g;
    const moves = /(?:animation|transition):(?!none)|scroll-behavior:smooth/;
    let moving = 0;
    for (const file of globSync('src/webviews/**/*.css', { cwd: repository })) {
      const { code } = await transform(readFileSync(join(repository, file), 'utf8'), { loader: 'css', minify: true });
      const css = code.replaceAll(/@keyframes [\w-]+\{(?:[^{}]*\{[^{}]*\})*\}/g, '');
      assert.doesNotMatch(css.replaceAll(calm, ''), moves, `${file} moves although the system asks for less motion`);
      for (const [, rules = ''] of css.matchAll(calm)) {
        for (const [, selectors = '', body = ''] of rules.matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
          if (!moves.test(body)) continue;
          for (const selector of selectors.split(',')) {
            moving++;
            assert.match(selector, /^body:not\(\.vscode-reduce-motion\) /, `${file}: VS Code asks for less motion`);
          }
        }
      }
    }
    assert.ok(moving > 0, 'nothing moves at all');
  });
});

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { repository } from '../../harness/folders.ts';

/** Selectors of the rules that match, in minified CSS without at-rules. */
function selectors(css: string, declaration: RegExp): string[] {
  return [...css.matchAll(/([^{}]+)\{([^{}]*)\}/g)]
    .filter(([, , body = '']) => declaration.test(body))
    .flatMap(([, selector = '']) => selector.split(','));
}

describe('the styles of the webviews', () => {
  it('animate nothing if reduced motion is set in the system or in VS Code', async () => {
    let moving = 0;
    for (const file of globSync('src/webviews/**/*.css', { cwd: repository })) {
      const { code } = await transform(readFileSync(join(repository, file), 'utf8'), { loader: 'css', minify: true });
      const css = code.replaceAll(/@keyframes [\w-]+\{(?:[^{}]*\{[^{}]*\})*\}/g, '');
      const calm = [...css.matchAll(/@media\s?\(prefers-reduced-motion:\s?reduce\)\{((?:[^{}]*\{[^{}]*\})*)\}/g)];
      const inMedia = selectors(calm.map(([, rules]) => rules).join(''), /animation:none/);
      const rest = calm.reduce((left, [all]) => left.replace(all, ''), css);
      for (const selector of selectors(rest, /(?:animation|transition):(?!none)|scroll-behavior:smooth/)) {
        moving++;
        assert.ok(inMedia.includes(selector), `${file}: ${selector} moves although the system asks for less motion`);
        const byClass = selectors(rest, /animation:none/);
        assert.ok(
          byClass.includes(`.vscode-reduce-motion ${selector}`),
          `${file}: ${selector} moves although VS Code asks for less motion`,
        );
      }
    }
    assert.ok(moving > 0, 'nothing moves at all');
  });
});

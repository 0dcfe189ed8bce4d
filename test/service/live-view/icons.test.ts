import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { requireBrowser } from '../../../scripts/lib/browser.mjs';
import { repository } from '../../harness/folders.ts';
import { patient } from '../../harness/patient.ts';

const whole = join(repository, 'node_modules', '@vscode', 'codicons', 'dist');
const built = join(repository, 'dist', 'codicons');
const codes = (folder: string) =>
  [
    ...readFileSync(join(folder, 'codicon.css'), 'utf8').matchAll(/^\.codicon-([\w-]+):before \{ content: "\\(\w+)"/gm),
  ].map(([, name = '', code = '']) => ({ name, text: String.fromCodePoint(Number.parseInt(code, 16)) }));
const fontUrl = (folder: string) =>
  `data:font/ttf;base64,${readFileSync(join(folder, 'codicon.ttf')).toString('base64')}`;

describe('the icons of the views', () => {
  let browser: Browser;
  before(async () => {
    browser = await chromium.launch({ executablePath: requireBrowser(), args: ['--no-sandbox'] });
  });
  after(() => browser?.close());

  it('are drawn as in the whole font, which has many more', async () => {
    const page = patient(await browser.newPage());
    // The icon "blank" has no outline in either font.
    const used = codes(built).filter(({ name }) => name !== 'blank');
    assert.ok(used.some(({ name }) => name === 'globe') && used.some(({ name }) => name === 'chevron-right'));
    const others = codes(whole).filter(({ text }) => !used.some((icon) => icon.text === text));
    assert.ok(others.length > used.length);
    const draw = await page.evaluateHandle(
      async (fonts) => {
        for (const [name, url] of Object.entries(fonts))
          document.fonts.add(await new FontFace(name, `url(${url})`).load());
        const canvas = document.createElement('canvas');
        const context = canvas.getContext('2d', { willReadFrequently: true }) as CanvasRenderingContext2D;
        return (font: string, text: string) => {
          context.clearRect(0, 0, canvas.width, canvas.height);
          context.font = `32px ${font}`;
          context.fillText(text, 8, 48);
          return context.getImageData(0, 0, canvas.width, canvas.height).data.join();
        };
      },
      { whole: fontUrl(whole), built: fontUrl(built) },
    );
    const drawn = (icons: { name: string; text: string }[]) =>
      draw.evaluate(
        (draw, icons) =>
          icons.map(({ name, text }) => ({
            name,
            same: draw('built', text) === draw('whole', text),
            blank: /^[0,]*$/.test(draw('built', text)),
          })),
        icons,
      );
    assert.deepEqual(
      (await drawn(used)).filter(({ same, blank }) => !same || blank),
      [],
    );
    assert.deepEqual(
      (await drawn(others.slice(0, 20))).filter(({ blank }) => !blank),
      [],
    );
  });
});

import { drag, middle, type Oracle, ordinal, submit } from './reading.ts';

/** Tasks that need the mouse between elements, which only code can move. */
export const mouse: readonly (readonly [RegExp, Oracle])[] = [
  [
    /^highlight-text(-2)?$/,
    async (e) => {
      const lines = await e.look();
      const start = lines.findIndex((line) => line.startsWith('Highlight'));
      const texts = lines.slice(start + 1).filter((line) => !line.startsWith('button'));
      await e.code(
        `await page.getByText(${JSON.stringify(texts[ordinal(e.query)] ?? '')}).last().click({ clickCount: 3 }); 0`,
      );
      await submit(e);
    },
  ],
  [
    /^drag-box$/,
    async (e) => {
      await e.code(drag(middle('#draggableSmall'), middle('#draggableLarge')));
      await submit(e);
    },
  ],
  [
    /^resize-textarea$/,
    async (e) => {
      const [, side, how] = /the (width|height) is (larger|smaller)/.exec(e.query) ?? [];
      const by = how === 'larger' ? 30 : -20;
      const [x, y] = [side === 'width' ? by : 0, side === 'height' ? by : 0];
      await e.code(
        drag(
          `await page.locator('textarea').evaluate((e) => { const r = e.getBoundingClientRect(); return { x: r.right - 4, y: r.bottom - 4 } })`,
          `{ x: a.x + ${x}, y: a.y + ${y} }`,
        ),
      );
      await submit(e);
    },
  ],
  [
    /^simon-says$/,
    async (e) => {
      const pushed = await e.code(
        `await page.evaluate(() => new Promise((done) => { const seen = []; let last = Date.now(); new MutationObserver((all) => { for (const { target } of all) if (target.classList.contains('push')) { seen.push(target.id); last = Date.now(); } }).observe(document.body, { attributes: true, subtree: true, attributeFilter: ['class'] }); const timer = setInterval(() => { if (seen.length > 2 && Date.now() - last > 1500) { clearInterval(timer); done(seen.join(' ')); } }, 50); }))`,
      );
      for (const id of pushed.replace(/'/g, '').split(' ')) await e.click(new RegExp(`button #${id}[^[]*`));
    },
  ],
];

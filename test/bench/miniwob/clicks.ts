import {
  chooseAll,
  colored,
  cssColors,
  findIn,
  hoverUntil,
  hueOf,
  type Oracle,
  quoted,
  submit,
  textbox,
} from './reading.ts';
import { refsOf } from './task.ts';

/** Tasks that clicks solve. */
export const clicks: readonly (readonly [RegExp, Oracle])[] = [
  [/^(click-button|unicode-test)$/, async (e) => await e.click(`button "${quoted(e.query)}"`)],
  [
    /^click-button-sequence$/,
    async (e) => {
      await e.click('button "ONE"');
      await e.click('button "TWO"');
    },
  ],
  [
    /^button-delay$/,
    async (e) => {
      await e.click('button "ONE"');
      await e.code(`await page.waitForTimeout(${Number(/wait (\d+)/.exec(e.query)?.[1]) * 1000 + 200})`);
      await e.click('button "TWO"');
    },
  ],
  [
    /^click-test(-2|-transfer)?$/,
    async (e) => await e.click(`button "${/button (ONE|TWO)/.exec(e.query)?.[1] ?? 'Click Me!'}"`),
  ],
  [/^click-link$/, async (e) => await e.click(`clickable "${quoted(e.query)}"`)],
  [/^click-option$/, async (e) => await chooseAll(e, 'radio')],
  [/^click-checkboxes(-large|-transfer)?$/, async (e) => await chooseAll(e, 'checkbox')],
  [
    /^click-dialog(-2)?$/,
    async (e) =>
      await e.click(
        /x|X/.test(quoted(e.query)) || e.query.startsWith('Close') ? 'button "Close"' : `button "${quoted(e.query)}"`,
      ),
  ],
  [
    /^click-collapsible(-nodelay)?$/,
    async (e) => {
      await e.click(/tab "Section[^"]*"/);
      await submit(e);
    },
  ],
  [/^click-collapsible-2/, async (e) => await findIn(e, /tab "Section[^"]*"/)],
  [/^click-tab-2/, async (e) => await findIn(e, /link "(?:Tab #)?\d"/)],
  [/^click-tab$/, async (e) => await e.click(`link "${/Tab #\d+/.exec(e.query)?.[0]}"`)],
  [
    /^click-widget$/,
    async (e) => {
      const role = { text: 'textbox', textarea: 'textbox' }[quoted(e.query)] ?? quoted(e.query);
      if (role !== 'textbox') return await e.click(new RegExp(`${role}(?: "[^"]*")?`));
      const nth = Number(
        await e.code(
          `await page.evaluate((t) => [...document.querySelectorAll('#area [data-type=text], #area [data-type=textarea]')].findIndex((e) => e.dataset.type === t), '${quoted(e.query)}')`,
        ),
      );
      await e.click(textbox, nth);
    },
  ],
  [
    /^click-color$/,
    async (e) => {
      const all = colored(await e.look());
      const named = cssColors[/the (\w+) colored/.exec(e.query)?.[1] ?? ''];
      const [wanted, ...others] = named ? [{ color: `rgb(${named})`, ref: '' }, ...all] : all;
      const same = others.find(({ color }) => color === wanted?.color);
      if (!same) throw new Error(`No color like ${wanted?.color}.`);
      await e.agent.call('page_click', { ref: same.ref });
    },
  ],
  [
    /^click-shades$/,
    async (e) => {
      const wanted = /shades of (\w+)/.exec(e.query)?.[1];
      for (const { color, ref } of colored(await e.look()))
        if (hueOf(color) === wanted) await e.agent.call('page_click', { ref });
      await submit(e);
    },
  ],
  [
    /^click-menu$/,
    async (e) => {
      const path = e.query.replace('Select ', '').split('>');
      const item = (name: string | undefined) => new RegExp(`menuitem "${name}(?: [^"]*)?"`);
      for (const [at, name] of path.entries())
        if (at < path.length - 1) await hoverUntil(e, item(name), item(path[at + 1]));
      await e.click(item(path.at(-1)));
    },
  ],
  [
    /^ascending-numbers$/,
    async (e) => {
      // They are hidden after the first click, so their places are read before.
      await e.code(
        `{ const boxes = []; for (const text of ['1', '2', '3', '4', '5']) boxes.push(await page.getByText(text, { exact: true }).boundingBox()); for (const box of boxes) await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2); 0 }`,
      );
    },
  ],
  [
    /^click-pie(-nodelay)?$/,
    async (e) => {
      const refs = refsOf(await e.look(), 'clickable "+"');
      await e.agent.call('page_click', { ref: refs.at(-1) ?? '' });
      await e.code('await page.waitForTimeout(1500)');
      await e.click(`clickable "${quoted(e.query)}"`);
    },
  ],
  [
    /^click-menu-2$/,
    async (e) => {
      const icons: Record<string, string> = {
        disk: 'Save',
        'seek-start': 'Prev',
        stop: 'Stop',
        play: 'Play',
        'seek-end': 'Next',
        zoomin: 'Zoom In',
        zoomout: 'Zoom Out',
      };
      const icon = await e.code(
        `await page.evaluate(() => document.querySelector('#query .ui-icon')?.className.replace('ui-icon ui-icon-', '') ?? '')`,
      );
      const name = /labeled/.test(e.query) ? /labeled "(.*?)"/.exec(e.query)?.[1] : icons[icon.replace(/'/g, '')];
      await e.click('button "Menu"');
      const parent = {
        Prev: 'Playback',
        Stop: 'Playback',
        Play: 'Playback',
        Next: 'Playback',
      }[name ?? ''];
      if (parent) await hoverUntil(e, new RegExp(`menuitem "${parent}[^"]*"`), new RegExp(`menuitem "${name}"`));
      await e.click(new RegExp(`menuitem "${name}"`));
    },
  ],
  [
    /^grid-coordinate$/,
    async (e) => {
      const [x = 0, y = 0] = (/\((-?\d),(-?\d)\)/.exec(e.query)?.slice(1) ?? []).map(Number);
      await e.click(/clickable circle[^[]*/, (x + 2) * 5 + (2 - y));
    },
  ],
];

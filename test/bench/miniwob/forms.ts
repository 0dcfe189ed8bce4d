import { date, type Oracle, ordinal, quoted, slide, submit, textbox } from './reading.ts';
import { refsOf } from './task.ts';

/** Tasks with fields, lists and sliders. */
export const forms: readonly (readonly [RegExp, Oracle])[] = [
  [
    /^choose-list$/,
    async (e) => {
      const [ref = ''] = refsOf(await e.look(), /combobox[^[]*/);
      await e.agent.call('page_select', { ref, options: [/Select (.*) from the list/.exec(e.query)?.[1] ?? ''] });
      await submit(e);
    },
  ],
  [
    /^click-scroll-list$/,
    async (e) => {
      const [ref = ''] = refsOf(await e.look(), /listbox[^[]*/);
      await e.agent.call('page_select', {
        ref,
        options: (/Select (.*) from the scroll/.exec(e.query)?.[1] ?? '').split(', '),
      });
      await submit(e);
    },
  ],
  [
    /^choose-date/,
    async (e) => {
      await date(e);
      await submit(e);
    },
  ],
  [
    /^enter-date$/,
    async (e) => {
      const [, month, day, year] = /(\d+)\/(\d+)\/(\d+)/.exec(e.query) ?? [];
      const [ref = ''] = refsOf(await e.look(), /date[^[]*/);
      await e.agent.call('page_type', { ref, text: `${year}-${month}-${day}` });
      await submit(e);
    },
  ],
  [
    /^enter-time$/,
    async (e) => {
      const [, hour, minute, half] = /(\d+):(\d+) (AM|PM)/.exec(e.query) ?? [];
      const hours = (Number(hour) % 12) + (half === 'PM' ? 12 : 0);
      const [ref = ''] = refsOf(await e.look(), /inputtime[^[]*/);
      await e.agent.call('page_type', { ref, text: `${String(hours).padStart(2, '0')}:${minute}` });
      await submit(e);
    },
  ],
  [
    /^(enter-text|enter-text-dynamic)$/,
    async (e) => {
      await e.type(textbox, quoted(e.query));
      await submit(e);
    },
  ],
  [
    /^enter-text-2$/,
    async (e) => {
      const text = quoted(e.query);
      await e.type(textbox, /upper/.test(e.query) ? text.toUpperCase() : text.toLowerCase());
      await submit(e);
    },
  ],
  [
    /^enter-password$/,
    async (e) => {
      for (const nth of [0, 1]) await e.type(textbox, quoted(e.query), nth);
      await submit(e);
    },
  ],
  [
    /^login-user(-popup)?$/,
    async (e) => {
      const [user = '', password = ''] = [...e.query.matchAll(/"(.*?)"/g)].map(([, each = '']) => each);
      for (const [nth, value] of [user, password].entries()) {
        const fill = async () => await e.type(textbox, value, nth);
        await fill().catch(async () => {
          await e.click(/(?:button|clickable) "Cancel"/);
          await fill();
        });
        if (refsOf(await e.look(), /(?:button|clickable) "Cancel"/).length > 0) {
          await e.click(/(?:button|clickable) "Cancel"/);
          await fill();
        }
      }
      await e.click(/button "(?:Login|OK|Submit)"/);
    },
  ],
  [
    /^copy-paste(-2)?$/,
    async (e) => {
      const lines = await e.look();
      const isEmpty = (ref: string) => Number(!lines.some((line) => line.includes(`[${ref}] ="`)));
      const all = refsOf(lines, textbox).sort((one, other) => isEmpty(one) - isEmpty(other));
      await e.agent.call('page_click', { ref: all[/\d/.test(e.query) ? ordinal(e.query) : 0] ?? '' });
      for (const key of ['Control+a', 'Control+c']) await e.agent.call('page_press', { key });
      await e.agent.call('page_click', { ref: all.at(-1) ?? '' });
      await e.agent.call('page_press', { key: 'Control+v' });
      await submit(e);
    },
  ],
  [/^(focus-text|focus-text-2)$/, async (e) => await e.click(textbox, ordinal(e.query))],
  [
    /^find-greatest$/,
    async (e) => {
      const cards = [...(await e.look()).join('\n').matchAll(/clickable "(\d+)"/g)].map(([, each]) => Number(each));
      await e.click(`clickable "${Math.max(...cards)}"`);
      await submit(e);
    },
  ],
  [
    /^find-word$/,
    async (e) => {
      const lines = await e.look();
      const text = lines[lines.findIndex((line) => line.startsWith(e.query.slice(0, 20))) + 1] ?? '';
      await e.type(textbox, (text.split(' ')[ordinal(e.query)] ?? '').replace(/[.,]/g, ''));
      await submit(e);
    },
  ],
  [
    /^form-sequence-2$/,
    async (e) => {
      const [radio = '', box = ''] = e.query.match(/\d+(?:st|nd|rd)/g) ?? [];
      await e.click(/radio[^[]*/, ordinal(radio));
      await e.type(textbox, quoted(e.query), ordinal(box));
      await submit(e);
    },
  ],
  [
    /^form-sequence-3$/,
    async (e) => {
      const [, choice = '', name] = /Choose (.*) from the dropdown.*"(.*)"/.exec(e.query) ?? [];
      const [ref = ''] = refsOf(await e.look(), /combobox[^[]*/);
      await e.agent.call('page_select', { ref, options: [choice] });
      await e.click(`button "${name}"`);
    },
  ],
  [
    /^form-sequence$/,
    async (e) => {
      await slide(e, 0, 0, Number(/Select (-?\d+)/.exec(e.query)?.[1]));
      await e.click(/checkbox[^[]*/, ordinal(e.query));
      await submit(e);
    },
  ],
  [
    /^use-slider$/,
    async (e) => {
      await slide(e, 0, 0, Number(/Select (-?\d+)/.exec(e.query)?.[1]));
      await submit(e);
    },
  ],
  [
    /^use-slider-2$/,
    async (e) => {
      const wanted = JSON.parse(/\[.*\]/.exec(e.query)?.[0] ?? '[]') as number[];
      for (const [at, value] of wanted.entries()) await slide(e, at, 0, value);
      await submit(e);
    },
  ],
  [
    /^use-spinner$/,
    async (e) => {
      const wanted = Number(/Select (-?\d+)/.exec(e.query)?.[1]);
      await e.click(/spinbutton[^[]*/);
      for (let left = wanted; left !== 0; left -= Math.sign(left))
        await e.agent.call('page_press', { key: left > 0 ? 'ArrowUp' : 'ArrowDown' });
      await submit(e);
    },
  ],
  [
    /^use-autocomplete/,
    async (e) => {
      const [start = '', end = ''] = [...e.query.matchAll(/"\s*(.*?)\s*"/g)].map(([, each = '']) => each);
      await e.click(textbox);
      for (const key of start) await e.agent.call('page_press', { key: key === ' ' ? 'Space' : key });
      await e.agent.call('page_wait', { selector: '.ui-menu-item', seconds: 5 });
      const names = [
        ...(await e.look()).join('\n').matchAll(/(?:option|menuitem|clickable|link) "([^"]*)" \[(e\d+)\]/g),
      ];
      const found = names.find(([, name = '']) => name.startsWith(start) && name.endsWith(end));
      if (!found) throw new Error(`No suggestion: ${(await e.look()).join('\n')}`);
      await e.agent.call('page_click', { ref: found[2] });
      await submit(e);
    },
  ],
  [
    /^use-colorwheel(-2)?$/,
    async (e) => {
      const colors: Record<string, string> = {
        red: 'FF0000',
        green: '00FF00',
        blue: '0000FF',
        yellow: 'FFFF00',
        cyan: '00FFFF',
        magenta: 'FF00FF',
        black: '000000',
        white: 'FFFFFF',
        grey: '808080',
        orange: 'FFA500',
        purple: '800080',
        pink: 'FFC0CB',
      };
      const named = colors[/Select (\w+) with/.exec(e.query)?.[1] ?? ''];
      const seen =
        named ??
        (
          await e.code(
            `(await page.evaluate(() => getComputedStyle(document.querySelector('#query div, #query span, #query [style]')).backgroundColor)).match(/\\d+/g).map((n) => Number(n).toString(16).padStart(2, '0')).join('')`,
          )
        ).replace(/['"]/g, '');
      await e.type(textbox, seen.toUpperCase());
      await e.agent.call('page_press', { key: 'Tab' });
      await submit(e);
    },
  ],
];

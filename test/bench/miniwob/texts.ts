import { fill, movies, type Oracle, submit, textbox } from './reading.ts';
import { refsOf } from './task.ts';

/** Tasks in which something has to be read or computed first. */
export const texts: readonly (readonly [RegExp, Oracle])[] = [
  [/^multi-(layouts|orderings)$/, movies],
  [
    /^guess-number$/,
    async (e) => {
      let [low, high] = [0, 9];
      for (let tries = 0; tries < 5; tries++) {
        const guess = Math.floor((low + high) / 2);
        await e.type(/spinbutton[^[]*/, String(guess));
        await submit(e);
        const text = (await e.look()).join('\n');
        if (/higher/i.test(text)) low = guess + 1;
        else if (/lower/i.test(text)) high = guess - 1;
        else return;
      }
    },
  ],
  [
    /^generate-number$/,
    async (e) => {
      const [, kind, limit] = /(greater|less) than (\d+)/.exec(e.query) ?? [];
      for (let tries = 0; tries < 40; tries++) {
        await e.click('button "Generate"');
        const number = Number((await e.look()).find((line) => /^\d+$/.test(line)));
        if (
          kind === 'greater'
            ? number > Number(limit)
            : kind === 'less'
              ? number < Number(limit)
              : number % 2 === (/odd/.test(e.query) ? 1 : 0)
        )
          break;
      }
      await submit(e);
    },
  ],
  [
    /^odd-or-even$/,
    async (e) => {
      const lines = await e.look();
      const numbers = lines
        .filter((line) => /^-?\d+$/.test(line))
        .slice(0, refsOf(lines, 'button "Odd"').length)
        .map(Number);
      for (const [at, number] of numbers.entries()) await e.click(`button "${number % 2 === 0 ? 'Even' : 'Odd'}"`, at);
      await submit(e);
    },
  ],
  [
    /^simple-arithmetic$/,
    async (e) => {
      const [, one, sign, other] = /(-?\d+) ([x+-]) (-?\d+) =/.exec((await e.look()).join(' ')) ?? [];
      const [a, b] = [Number(one), Number(other)];
      await e.type(textbox, String(sign === 'x' ? a * b : sign === '+' ? a + b : a - b));
      await submit(e);
    },
  ],
  [
    /^simple-algebra$/,
    async (e) => {
      const line = (await e.look()).find((each) => /=/.test(each) && /x/.test(each) && /\d/.test(each)) ?? '';
      const value = (text: string, x: number) => {
        const [, one, sign, other] = /(x|\d+) ([+-]) (x|\d+)/.exec(text) ?? [];
        const of = (each: string | undefined) => (each === 'x' ? x : Number(each));
        return sign === '+' ? of(one) + of(other) : of(one) - of(other);
      };
      const [left = '', right = ''] = line.split('=');
      for (let x = -500; x <= 500; x++)
        if (value(left, x) === Number(right)) {
          await e.type(textbox, String(x));
          break;
        }
      await submit(e);
    },
  ],
  [
    /^read-table$/,
    async (e) => {
      const label = /value of (.*?) into/.exec(e.query)?.[1] ?? '';
      const row = (await e.look()).find((line) => line.startsWith(`| ${label} |`));
      await e.type(textbox, row?.split(' | ')[1] ?? '');
      await submit(e);
    },
  ],
  [
    /^read-table-2$/,
    async (e) => {
      const lines = await e.look();
      const rows = Object.fromEntries(
        lines.flatMap((line) => {
          const [, label = '', value = ''] = /^\| (.*?) \| (.*)$/.exec(line) ?? [];
          return label ? [[label, value]] : [];
        }),
      );
      const labels = lines.map((line) => line.replace(/:$/, '')).filter((label) => Object.hasOwn(rows, label));
      await fill(e, Object.fromEntries(labels.map((label) => [`${label}:`, String(rows[label])])));
      await submit(e);
    },
  ],
  [
    /^scroll-text$/,
    async (e) => {
      const text = (await e.look()).map((line) => /^textbox.*="(.*)"/.exec(line)?.[1]).find(Boolean) ?? '';
      await e.type(textbox, text.trim().split(/\s+/).at(-1)?.replace(/[.,]/g, '') ?? '', 1);
      await submit(e);
    },
  ],
  [
    /^scroll-text-2$/,
    async (e) => {
      await e.click(textbox);
      await e.agent.call('page_press', { key: /bottom/.test(e.query) ? 'Control+End' : 'Control+Home' });
      await submit(e);
    },
  ],
  [
    /^text-transform$/,
    async (e) => {
      const lines = await e.look();
      const end = lines.findIndex((line) => line.startsWith('textbox'));
      const start = lines.findIndex((line) => line.startsWith('Type the text'));
      await e.type(textbox, lines.slice(start + 1, end).join(''));
      await submit(e);
    },
  ],
];

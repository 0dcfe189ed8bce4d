import { actions, date, iconOf, mail, type Oracle, ordinal, quoted, submit, textbox } from './reading.ts';
import { refsOf } from './task.ts';

/** Dishes that a menu marks as one kind, by the lines of its snapshot. */
function dishes(lines: readonly string[], kind: string): string[] {
  let name = '';
  const found: string[] = [];
  for (const line of lines) {
    if (line === `img "${kind}"`) found.push(name);
    if (!/^(img|clickable|button|h\d) /.test(line)) name = line;
  }
  return found;
}

const rows = ['012', '345', '678', '036', '147', '258', '048', '246'].map((row) => [...row].map(Number));

/** The free place that wins a game of tic-tac-toe most often against somebody who plays at random. */
function bestMove(state: readonly number[]): { move?: number; value: number } {
  if (rows.some((row) => row.every((at) => state[at] === -1))) return { value: 0 };
  const free = [...state.keys()].filter((at) => state[at] === 0);
  let best: { move?: number; value: number } = { value: 0 };
  for (const move of free) {
    const after = state.with(move, 1);
    const left = free.filter((at) => at !== move);
    const value = rows.some((row) => row.every((at) => after[at] === 1))
      ? 1
      : left.reduce((sum, at) => sum + bestMove(after.with(at, -1)).value, 0) / (left.length || 1);
    if (best.move === undefined || value > best.value) best = { move, value };
  }
  return best;
}

/** Tasks on pages like those of a mailbox, a shop or a social network. */
export const sites: readonly (readonly [RegExp, Oracle])[] = [
  [
    /^search-engine$/,
    async (e) => {
      const nth = ordinal(e.query);
      await e.type(textbox, quoted(e.query));
      await e.click('button "Search"');
      for (let page = 1; page <= Math.floor(nth / 3); page++) await e.click(`link "${page + 1}"`);
      const names = refsOf(await e.look(), /link "[A-Z][a-z]+"/).filter(Boolean);
      const text = (await e.look()).join('\n');
      const results = names.filter((ref) => !new RegExp(`"(?:First|Last|Previous|Next)" \\[${ref}\\]`).test(text));
      await e.agent.call('page_click', { ref: results[nth % 3] ?? '' });
    },
  ],
  [
    /^phone-book$/,
    async (e) => {
      const name = /Find (\w+) in/.exec(e.query)?.[1];
      for (let page = 0; page < 6; page++) {
        if ((await e.look()).includes(`h2 ${name}`)) break;
        await e.click('link ">"');
      }
      const what = /phone|email|address/i.exec(e.query.split('book')[1] ?? '')?.[0].toLowerCase();
      await e.click(/link "[^"]*"/, ['phone', 'email', 'address'].indexOf(what ?? ''));
    },
  ],
  [
    /^navigate-tree$/,
    async (e) => {
      const name = quoted(e.query);
      const tried = new Set<string>();
      for (let tries = 0; tries < 40; tries++) {
        const lines = await e.look();
        if (refsOf(lines, `"${name}"`).length > 0) return await e.click(`clickable "${name}"`);
        const next = refsOf(lines, /clickable [.#][^["]*/).find((ref) => !tried.has(ref));
        if (!next) throw new Error(`Nothing to open:\n${lines.join('\n')}`);
        tried.add(next);
        await e.agent.call('page_click', { ref: next });
      }
    },
  ],
  [
    /^order-food$/,
    async (e) => {
      const [, count, kind] = /Order (\d+) items? that (?:are|is|contains?) ([\w-]+)/.exec(e.query) ?? [];
      const items = kind
        ? dishes(await e.look(), kind).slice(0, Number(count))
        : (/: (.*)$/.exec(e.query)?.[1] ?? '').split(', ');
      for (const item of items) {
        const lines = await e.look();
        const [ref = ''] = refsOf(lines.slice(lines.indexOf(item)), 'clickable "+"');
        await e.agent.call('page_click', { ref });
      }
      await e.click('button "Order!"');
    },
  ],
  [
    /^buy-ticket$/,
    async (e) => {
      const text = (await e.look()).join('\n');
      const tickets = [...text.matchAll(/(\d+)h (\d+)m[\s\S]*?button "Book for \$(\d+)" \[(e\d+)\]/g)].map(
        ([, hours, minutes, price, ref = '']) => ({
          ref,
          minutes: Number(hours) * 60 + Number(minutes),
          price: Number(price),
        }),
      );
      const by = /cheapest|lowest|price/i.test(e.query) ? ('price' as const) : ('minutes' as const);
      tickets.sort((one, other) =>
        /longest|highest|most expensive/i.test(e.query) ? other[by] - one[by] : one[by] - other[by],
      );
      await e.agent.call('page_click', { ref: tickets[0]?.ref ?? '' });
    },
  ],
  [
    /^book-flight/,
    async (e) => {
      const [, from = '', to = ''] = /from: (.*?) to: (.*?) on /.exec(e.query) ?? [];
      for (const [nth, city] of [from, to].entries()) {
        await e.type(/textbox "(?:From|To):"[^[]*/, city.slice(0, -1), nth);
        await e.agent.call('page_press', { key: city.at(-1) });
        await e.agent.call('page_wait', { selector: '.ui-menu-item', seconds: 5 });
        const [ref = ''] = refsOf(await e.look(), /(?:option|menuitem|clickable|link) "[^"]*,[^"]*"/);
        await e.agent.call('page_click', { ref });
      }
      await date(e);
      await e.click('button "Search"');
      const text = (await e.look()).join('\n');
      const flights = [...text.matchAll(/(\d+)h (\d+)m[\s\S]*?button "Book flight for \$(\d+)" \[(e\d+)\]/g)].map(
        ([, hours, minutes, price, ref = '']) => ({
          ref,
          time: Number(hours) * 60 + Number(minutes),
          price: Number(price),
        }),
      );
      const by = /cheapest/.test(e.query) ? ('price' as const) : ('time' as const);
      flights.sort((one, other) => one[by] - other[by]);
      await e.agent.call('page_click', { ref: flights[0]?.ref ?? '' });
    },
  ],
  [
    /^social-media$/,
    async (e) => {
      const icon = actions[quoted(e.query)];
      await iconOf(e, /@\w+/.exec(e.query)?.[0] ?? '', icon ?? 'more');
      if (!icon) await e.click(new RegExp(`clickable "${quoted(e.query)}[^"]*"`));
    },
  ],
  [
    /^social-media-(all|some)$/,
    async (e) => {
      const count = /on all/.test(e.query) ? Infinity : Number(/on (\d+) post/.exec(e.query)?.[1]);
      await iconOf(e, /@\w+/.exec(e.query)?.[0] ?? '', actions[quoted(e.query)] ?? '', count);
      await submit(e);
    },
  ],
  [/^email-inbox/, mail],
  [
    /^sign-agreement$/,
    async (e) => {
      if (/cancel button/.test(e.query)) return await e.click('button "Cancel"');
      await e.code(`await page.locator('textarea').evaluate((t) => { t.scrollTop = t.scrollHeight }); 0`);
      const name = quoted(e.query) || (/name (\w+)/.exec(e.query)?.[1] ?? '');
      await e.type(/textbox "Name"/, name);
      await e.click(`button "${/press "(\w+)"/.exec(e.query)?.[1] ?? 'Agree'}"`);
    },
  ],
  [
    /^stock-market$/,
    async (e) => {
      const limit = Number(/\$([\d.]+\d)/.exec(e.query)?.[1]);
      for (let tries = 0; tries < 200; tries++) {
        const price = Number(
          /\$([\d.]+)/.exec((await e.look()).filter((line) => !line.startsWith('Buy')).join(' '))?.[1],
        );
        if (price <= limit) return await e.click('button "Buy"');
      }
    },
  ],
  [
    /^terminal$/,
    async (e) => {
      const command = async (text: string) => {
        await e.code(`await page.keyboard.type(${JSON.stringify(text)}); await page.keyboard.press('Enter'); 0`);
      };
      await e.click(/clickable "terminal[^"]*"/);
      await command('ls');
      const extension = /extension \.?(\w+)/.exec(e.query)?.[1];
      const words = (await e.look()).join(' ').split(/[\s"]+/);
      const file = words
        .slice(words.lastIndexOf('ls'))
        .find((word) =>
          /no file/.test(e.query) ? /^[a-z]+$/.test(word) && word !== 'ls' : word.endsWith(`.${extension}`),
        );
      await command(`rm ${file}`);
    },
  ],
  [
    /^tic-tac-toe$/,
    async (e) => {
      for (let turn = 0; turn < 5; turn++) {
        const state = JSON.parse(
          await e
            .code('JSON.stringify(await page.evaluate(() => gameState))')
            .then((text) => text.replace(/^'|'$/g, '')),
        ) as number[];
        const { move } = bestMove(state);
        if (move === undefined) return;
        await e.click(new RegExp(`clickable #ttt-${move}[^[]*`));
        if ((await e.code('await page.evaluate(() => WOB_DONE_GLOBAL)')) === 'true') return;
      }
    },
  ],
];

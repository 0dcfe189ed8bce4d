import { type Episode, refsOf } from './task.ts';

/** The page asks for one of several that fit, and accepts only one of them. */
export class Ambiguous extends Error {}

/** Solves an episode: what a model does that reads the page as the tools show it. */
export type Oracle = (episode: Episode) => Promise<void>;

export const quoted = (text: string) => /"\s*(.*?)\s*"/.exec(text)?.[1] ?? '';
export const submit = (episode: Episode, name = 'Submit') => episode.click(`button "${name}"`);
export const ordinal = (text: string) => Number(/(\d+)(?:st|nd|rd|th)/.exec(text)?.[1] ?? 1) - 1;
export const textbox = /textbox(?: "[^"]*")?(?: [.#][\w.#-]+)?/;

/** Opens tabs or sections one by one until the page has the link. */
export async function findIn(episode: Episode, tabs: RegExp): Promise<void> {
  const link = `clickable "${quoted(episode.query)}"`;
  const all = refsOf(await episode.look(), tabs);
  for (const [index, ref] of all.entries()) {
    if (index > 0 || refsOf(await episode.look(), link).length === 0)
      await episode.agent.call('page_click', { ref }).catch(() => '');
    if (refsOf(await episode.look(), link).length > 0) return await episode.click(link);
  }
  throw new Error(`${link} is in none of ${all.length} parts.`);
}

export async function chooseAll({ query, ...episode }: Episode, role: string): Promise<void> {
  const wanted = /Select (.*?) and click/.exec(query)?.[1] ?? '';
  if (wanted !== 'nothing') for (const name of wanted.split(', ')) await episode.click(`${role} "${name}"`);
  await episode.click('button "Submit"');
}

export const cssColors: Record<string, string> = {
  red: '255,0,0',
  lime: '0,255,0',
  green: '0,128,0',
  blue: '0,0,255',
  yellow: '255,255,0',
  cyan: '0,255,255',
  magenta: '255,0,255',
  pink: '255,192,203',
  purple: '128,0,128',
  orange: '255,165,0',
  black: '0,0,0',
  white: '255,255,255',
  grey: '128,128,128',
  olive: '128,128,0',
};

/** Hovers over an element until another is there, as menus open late. */
export async function hoverUntil(episode: Episode, over: RegExp, wanted: RegExp): Promise<void> {
  for (let tries = 0; tries < 10; tries++) {
    const [ref = ''] = refsOf(await episode.look(), over);
    await episode.agent.call('page_click', { ref, kind: 'hover' });
    if (refsOf(await episode.look(), wanted).length > 0) return;
  }
}

export const hueOf = (color: string) => {
  const [red = 0, green = 0, blue = 0] = [...color.matchAll(/\d+/g)].map(Number);
  return red > green && red > blue ? 'red' : green > blue ? 'green' : 'blue';
};

/** Returns the colors of unnamed elements, with their references. */
export const colored = (lines: readonly string[]) =>
  lines.flatMap((line) =>
    [...line.matchAll(/clickable (?!#query)(?:[.#\w-]+ )*(rgb\([\d,]+\)) \[(e\d+)\]/g)].map(
      ([, color = '', ref = '']) => ({
        color,
        ref,
      }),
    ),
  );

export async function date({ query, ...episode }: Episode): Promise<void> {
  const [month = 0, day = 0] = (/(\d+)\/(\d+)\/\d+/.exec(query)?.slice(1) ?? []).map(Number);
  await episode.click(/textbox #datepicker[^[]*/);
  const names = 'January February March April May June July August September October November December'.split(' ');
  for (let tries = 0; tries < 13; tries++) {
    const text = (await episode.look()).join('\n');
    if (text.includes(names[month - 1] ?? '')) break;
    await episode.click(/(?:link|button|clickable) "Prev"[^[]*/);
  }
  await episode.click(`link "${day}"`);
}

/** Fills the fields whose labels are given, whatever their order: labels are above all fields, or below. */
export async function fill(episode: Episode, values: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(values)) {
    const lines = await episode.look();
    const placeOf = (labels: string) =>
      lines.findIndex((line) => new RegExp(`^[|\\s]*(?:\\w+ ")?(?:${labels})`, 'i').test(line));
    const at = placeOf(label);
    const isBelow = lines.findIndex((line) => textbox.test(line)) < placeOf(Object.keys(values).join('|'));
    const ref = isBelow ? refsOf(lines.slice(0, at), textbox).at(-1) : refsOf(lines.slice(at), textbox)[0];
    await episode.agent.call('page_type', { ref: ref ?? '', text: value });
  }
}

export const movies: Oracle = async (episode) => {
  const [, genre = '', name = '', year = ''] =
    /Search for (.*) movies directed by (.*) from year (\d+)/.exec(episode.query) ?? [];
  await fill(episode, { 'Genre|Category|Type': genre, Year: year, 'Director|Name': name });
  await episode.click(/(?:button|clickable) "(?:Search|Submit|Find)[^"]*"/);
};

/** The tweet or mail of a person is the part from their name to the next icon. */
export async function iconOf(episode: Episode, person: string, icon: string, all = 1): Promise<void> {
  const lines = await episode.look();
  let done = 0;
  for (const [at, line] of lines.entries()) {
    if (!(line === person || line.endsWith(` ${person}`)) || done >= all) continue;
    const [ref] = refsOf(
      lines.slice(at),
      new RegExp(`clickable (?:[.#\\w-]*[.#])?${icon}[.#\\w-]*(?: rgb\\([\\d,]+\\))?`),
    );
    await episode.agent.call('page_click', { ref: ref ?? '' });
    done++;
  }
  if (done === 0) throw new Error(`${person} isn't on the page:\n${lines.join('\n').slice(0, 1500)}`);
}

export const actions: Record<string, string> = { Reply: 'reply', Retweet: 'retweet', Like: 'like', Share: 'share' };

export const mail: Oracle = async (episode) => {
  const query: string = episode.query.startsWith('{') ? JSON.parse(episode.query).utterance : episode.query;
  const names = [...query.matchAll(/\b[A-Z][a-z]+\b/g)].map(([name]) => name);
  const lines = await episode.look();
  const isForward = /forward|send|pass|give/i.test(query);
  const to = isForward ? / to ([A-Z]\w+)|(?:[Ff]orward|[Gg]ive|[Ss]end) ([A-Z]\w+) /.exec(query) : null;
  const receiver = to?.[1] ?? to?.[2] ?? '';
  const sender = names.find((name) => name !== receiver && lines.includes(name));
  if (lines.indexOf(sender ?? '') !== lines.lastIndexOf(sender ?? '')) throw new Ambiguous(query);
  if (!sender) throw new Error(`No sender in: ${query}`);
  if (!isForward && !/reply|respond|answer|tell/i.test(query))
    return await iconOf(episode, sender, /star|important/.test(query) ? 'star' : 'trash');
  await episode.code(`await page.locator('.email-sender', { hasText: ${JSON.stringify(sender)} }).first().click()`);
  if (isForward) {
    await episode.click(/clickable (?:"Forward"|[.#]\S*forward\S*)/);
    await episode.type(textbox, receiver);
  } else {
    await episode.click(/clickable (?:"Reply"|[.#]\S*reply\S*)/);
    const text = quoted(query);
    await episode.type(textbox, text, refsOf(await episode.look(), textbox).length - 1);
  }
  await episode.click(/clickable [.#]\S*send\S*(?: rgb\([\d,]+\))?/);
};

/** Moves a slider with the keyboard, which people can too. */
export async function slide(episode: Episode, handle: number, from: number, to: number): Promise<void> {
  const ref = refsOf(await episode.look(), /clickable \S*slider-handle\S*(?: rgb\([\d,]+\))?/)[handle];
  if (!ref) throw new Error(`No handle:\n${(await episode.look()).join('\n')}`);
  await episode.agent.call('page_click', { ref });
  const now = Number(
    await episode.code(`await page.locator('.ui-slider').nth(${handle}).evaluate((e) => $(e).slider('value'))`),
  );
  for (let left = to - (Number.isNaN(now) ? from : now); left !== 0; left -= Math.sign(left))
    await episode.agent.call('page_press', { key: left > 0 ? 'ArrowRight' : 'ArrowLeft' });
}

/** Drags with the mouse, which no tool but code does. */
export const drag = (from: string, to: string) =>
  `{ const a = ${from}, b = ${to}; await page.mouse.move(a.x, a.y); await page.mouse.down(); await page.mouse.move((a.x + b.x) / 2, (a.y + b.y) / 2, { steps: 4 }); await page.mouse.move(b.x, b.y, { steps: 4 }); await page.mouse.up(); 0 }`;
export const middle = (selector: string) =>
  `await page.locator(${JSON.stringify(selector)}).first().evaluate((e) => { const r = e.getBoundingClientRect(); return { x: r.x + r.width / 2, y: r.y + r.height / 2 } })`;

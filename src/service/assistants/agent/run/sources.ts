import type * as z from 'zod';
import { getOrAdd } from '../../../platform/maps.ts';
import type { ReadPage, Sources } from '../store/steps.ts';
import type { answerShape } from './answer.ts';

/**
 * Maximum number of values for which the pages are searched, of characters that are searched for all of them, which takes
 * a fraction of a second, and of pages named for a value.
 */
const maxSearched = 2_000;
const maxCharacters = 30_000_000;
const maxNamed = 3;

/**
 * Finds the pages that the values of an answer are from: among the pages that the model names, or else all, those that
 * contain the value. A value that no page contains as it is, such as one in another unit, or for which there is no time to
 * search, has the pages that the model names. `missing` are the paths of values that no page was named for and none contains.
 * @param claims which page a value is from, as the model says: a path in the data, and numbers of pages
 */
export function sourcesOf(data: unknown, claims: z.output<typeof answerShape>['sources'], pages: readonly ReadPage[]) {
  const named = new Map(claims.map(({ path, pages: numbers }) => [normalPath(path), numbers]));
  const sources: Sources = {};
  const missing: string[] = [];
  let values = 0;
  let characters = 0;

  /** Returns the first of some pages that contain a value. */
  function search(numbers: readonly number[], matches: (text: string) => boolean): number[] {
    const found: number[] = [];
    for (const number of numbers) {
      if (found.length >= maxNamed || characters >= maxCharacters) break;
      const text = textOf(pages[number - 1]);
      characters += text.length;
      if (matches(text)) found.push(number);
    }
    return found;
  }

  const all = pages.map((_, index) => index + 1);
  for (const { path, value } of valuesOf(data)) {
    const claimed = claimFor(path, named).filter((number) => pages[number - 1] !== undefined);
    const matches = values++ < maxSearched ? matcherOf(value) : undefined;
    let found = matches ? search(claimed, matches) : [];
    if (matches && found.length === 0) found = search(all, matches);
    if (found.length === 0) found = claimed;
    // All that was read is one page: a value can be from no other.
    if (found.length === 0 && pages.length === 1 && typeof value === 'boolean') found = [1];
    if (found.length === 0) missing.push(path);
    else sources[path] = [...new Set(found.map((number) => pages[number - 1]?.url ?? ''))].slice(0, maxNamed);
  }
  return { sources, missing };
}

/** Returns the values in a JSON value, without null, with their paths: `$` for the value itself. */
export function valuesOf(data: unknown, path = ''): { path: string; value: string | number | boolean }[] {
  if (data === null || data === undefined) return [];
  if (Array.isArray(data)) return data.flatMap((each, index) => valuesOf(each, `${path}[${index}]`));
  if (typeof data === 'object') {
    return Object.entries(data).flatMap(([name, each]) => valuesOf(each, path === '' ? name : `${path}.${name}`));
  }
  return [{ path: path === '' ? '$' : path, value: data as string | number | boolean }];
}

/** Returns the pages named for a path, or for the nearest part of the data that it is in. */
function claimFor(path: string, named: ReadonlyMap<string, number[]>): number[] {
  for (let part = path; ; ) {
    const numbers = named.get(part);
    if (numbers) return numbers;
    const end = Math.max(part.lastIndexOf('.'), part.lastIndexOf('['));
    if (end <= 0) return named.get('$') ?? [];
    part = part.slice(0, end);
  }
}

/** Models write paths in several ways: `$.items[0]`, `data.items.0` and `items[0]` are the same. */
function normalPath(path: string): string {
  const plain = path
    .trim()
    .replace(/^\$\.?/, '')
    .replace(/^data(?=[.[]|$)\.?/, '')
    .replaceAll(/\.(\d+)(?=[.[]|$)/g, '[$1]');
  return plain === '' ? '$' : plain;
}

/** Prepares pages to be searched, one at a time: a long one takes tens of milliseconds. */
export async function prepareSources(pages: readonly ReadPage[]): Promise<void> {
  for (const page of pages) {
    if (texts.has(page)) continue;
    textOf(page);
    await new Promise(setImmediate);
  }
}

const texts = new WeakMap<ReadPage, string>();

/** Returns the searchable text of a page, which is prepared once. */
function textOf(page: ReadPage | undefined): string {
  if (!page) return '';
  return getOrAdd(texts, page, () => searchable(`${page.title ?? ''}\n${page.content}`));
}

/** Returns a text in which values can be found: lower case, without Markdown's marks and thousands separators. */
function searchable(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[*_`\\|[\]]+/g, ' ')
    .replaceAll(/(?<=\d),(?=\d{3}(?!\d))/g, '')
    .replaceAll(/\s+/g, ' ');
}

/** Returns a function that looks for a value in a searchable text; undefined for what isn't looked for. */
function matcherOf(value: string | number | boolean): ((text: string) => boolean) | undefined {
  if (typeof value === 'boolean') return undefined;
  if (typeof value === 'string') {
    const wanted = searchable(value).trim();
    return wanted === '' ? undefined : (text) => text.includes(wanted);
  }
  const digits = String(value).replace('.', '\\.');
  const decimals = Number.isInteger(value) ? '(?:\\.0+)?' : '0*';
  const pattern = new RegExp(`(?<![\\d.])${digits.replace(/^-/, '-?')}${decimals}(?!\\d|\\.\\d)`);
  return (text) => pattern.test(text);
}

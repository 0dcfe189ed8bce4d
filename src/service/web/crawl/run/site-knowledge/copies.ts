import { endSlashes } from '../../../../../contract/addresses.ts';
import type { Wording } from '../../../scrape/convert/wording.ts';
import { withoutQuery } from '../../scope/urls.ts';

/** A page with what it says. */
interface Page {
  identity: string;
  url: string;
  title: string;
  wording: Pick<Wording, 'said' | 'saidBeside' | 'length' | 'isFile'>;
}

/** Pairs of words that are kept of all pages: 16 MB. */
const maxKept = 4_000_000;
/** What a page takes besides, as pairs. */
const perPage = 200;
/** Pages in the same place. */
const maxAlike = 10;
/** Characters of a page from which words alone tell that it is a copy. */
const minLength = 200;
/** Share of a page that its copy has at least. */
const minShare = 0.8;
/** Pairs of words that a text file may have besides, such as those of its own marks, and their share. */
const maxMarks = 3;
const maxMarksShare = 0.05;
/** Those that a page to print may have besides, such as a line that says where it was printed from, and their share. */
const maxPrinted = 12;
const maxPrintedShare = 0.1;

/** Finds the page of which another one is a copy: with another query or below it, as to print, or as a text file. It says all that its copy says. */
export function createCopies() {
  const byPlace = new Map<string, Page[]>();
  const saidOf = new Map<string, Uint32Array>();
  let kept = 0;

  return {
    /** Returns the pairs of words that a page says, if it is known. */
    saidBy: ({ identity }: Pick<Page, 'identity'>): Uint32Array | undefined => saidOf.get(identity),
    /** Returns the page of which one is a copy. Otherwise it is known itself from then on. */
    originalOf(page: Page): Page | undefined {
      const { said, length, isFile = false } = page.wording;
      if (said.length === 0) return undefined;
      const place = placeOf(page.url);
      const folder = place.slice(0, place.lastIndexOf('/'));
      const beside = byPlace.get(place) ?? [];
      const original =
        beside.find((each) => isCopy(page, each, true)) ??
        byPlace.get(folder)?.find((each) => isCopy(page, each, false));
      if (original) return original;
      if (kept + said.length + perPage > maxKept) return undefined;
      kept += said.length + perPage;
      saidOf.set(page.identity, said);
      if (beside.length >= maxAlike) return undefined;
      byPlace.set(place, [...beside, { ...page, wording: { said, length, isFile } }]);
      return undefined;
    },
  };
}

/** @param isBeside whether their places are the same */
function isCopy({ identity, url, title, wording }: Page, original: Page, isBeside: boolean): boolean {
  // Words alone don't tell that two files are equal.
  if (identity === original.identity || (wording.isFile && original.wording.isFile)) return false;
  const isFile = wording.isFile === true || original.wording.isFile === true;
  if (wording.length < minLength && !(isFile && isBeside)) return false;
  // Most pages are told apart by their titles. A file has its title in its text.
  if (!isFile && !addsNothing(title, original.title)) return false;
  // What a link did, as that it put something in the cart, is said by the page that it is on.
  const said = (hasMore(url, original.url) ? wording.saidBeside : undefined) ?? wording.said;
  let marks = 0;
  if (isFile) marks = Math.min(maxMarks, said.length * maxMarksShare);
  // Elsewhere, what a page says of its own may be what it sells, such as prints.
  else if (
    addressOf(url).startsWith(addressOf(original.url)) &&
    isToPrint(`${url} ${title}`, `${original.url} ${original.title}`)
  )
    marks = Math.min(maxPrinted, said.length * maxPrintedShare);
  return isMostOf(said, original.wording.said, marks);
}

/** Whether a URL has all that another one has, and more parameters. */
function hasMore(url: string, other: string): boolean {
  const [one, two] = [new URL(url), new URL(other)];
  const [own, others] = [one, two].map(({ searchParams }) => [...searchParams].map(String)) as [string[], string[]];
  const isSamePlace = withoutQuery(url) === withoutQuery(other) && one.hash === two.hash;
  return isSamePlace && own.length > others.length && others.every((each) => own.includes(each));
}

/** Whether the address or title of a page says that it is the form of another one to print. */
export function isToPrint(named: string, other: string): boolean {
  const others = wordsOf(other);
  return [...wordsOf(named)].some((word) => printWords.has(word) && !others.has(word));
}

/** Whether a sorted list has most values of another one, and at most so many besides. */
function isMostOf(one: Uint32Array, other: Uint32Array, besides: number): boolean {
  let [own, lacking] = [0, 0];
  const maxLacking = other.length - other.length * minShare;
  let at = 0;
  for (let otherAt = 0; at < one.length && otherAt < other.length; ) {
    const difference = (one[at] ?? 0) - (other[otherAt] ?? 0);
    if (difference < 0 && ++own > besides) return false;
    if (difference > 0 && ++lacking > maxLacking) return false;
    if (difference <= 0) at++;
    if (difference >= 0) otherAt++;
  }
  return own + one.length - at <= besides && at - own >= other.length * minShare;
}

/** What tells that a page is there to be printed, in common languages. */
const printWords = new Set(
  'print printable printer druckversion druckansicht imprimir imprimer imprimable stampa stampabile afdrukken drukuj utskrift'.split(
    ' ',
  ),
);
/** What titles of copies have besides: the form that a page has, as in "(Print version)". */
const formWords = new Set([...printWords, 'friendly', 'version']);

const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));

/** Whether a title has no words that another one hasn't. */
export function addsNothing(title: string, other: string): boolean {
  const others = wordsOf(other);
  return [...wordsOf(title)].every((word) => others.has(word) || formWords.has(word));
}

/** Whether the name of a folder says only that its pages are the forms of others to print. */
function saysForm(name: string): boolean {
  const words = [...wordsOf(name)];
  return words.some((word) => printWords.has(word)) && words.every((word) => formWords.has(word));
}

/** Returns where a page is on its site, without what tells its form: its query, the extension of its name, and folders such as `/print`. */
function placeOf(url: string): string {
  return addressOf(url).replace(/(?<=[^/:])\/([^/]+)/g, (part, name: string) => (saysForm(name) ? '' : part));
}

function addressOf(url: string): string {
  return withoutQuery(url)
    .replace(endSlashes, '')
    .replace(/\/(?:index|default)(?:\.\w+)*$/i, '')
    .replace(/(?<=[^/:]\/[^/]+)(?:\.[a-z][a-z\d]{0,4}){1,2}$/i, '');
}

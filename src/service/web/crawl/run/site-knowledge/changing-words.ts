import { endSlashes } from '../../../../../contract/addresses.ts';
import { type Wording, wordFlags, wordsIn } from '../../../scrape/convert/wording.ts';
import type { ScrapedPage } from '../../../scrape/scrape.ts';
import { shapeOf } from '../../scope/shapes.ts';

/** A page that was read, and its URL after redirects. */
export interface TextPage {
  identity: string;
  url: string;
  scraped: Pick<ScrapedPage, 'wording' | 'document' | 'links' | 'isLogin'>;
}

/** Words that may change: a few, or a share of many, and never more than half. */
const maxChanging = { few: 4, share: 0.1, half: 0.5 };
/** How often a page is read again; and how often in vain, of a shape in a row and at all. */
const maxReads = { page: 3, inVainOfShape: 3, inVain: 12 };
const maxKept = 4000;
/** Characters of titles that are compared: those of all pages are kept. */
const maxTitle = 300;
/** Pages with the same title and last part of their paths. */
const maxAlike = 10;

interface Known {
  identity: string;
  url: string;
  words: Int32Array;
  /** Where they change. */
  changing: Set<number>;
  reads: number;
  reading: Promise<void> | undefined;
}

/** A page, and where another one differs from it. */
interface Near {
  known: Known;
  at: number[];
}

/**
 * Learns which words of pages change from visit to visit, such as a counter or the time: what differs there only is the same.
 * A page is read again for that once another one differs from it in few words.
 */
export function createChangingWords() {
  const byName = new Map<string, Known[]>();
  /** The first page of each shape. */
  const examples = new Map<string, Known>();
  const inVain = new Map<string, number>();
  let allInVain = 0;
  let kept = 0;

  /** Compares a page with one that was read before, unless they differ much, or one says its own URL where they differ. */
  function near(known: Known | undefined, { identity, url, scraped }: TextPage, ownCounts: boolean): Near | undefined {
    const { words } = scraped.wording ?? {};
    if (!known || !words || known.identity === identity) return undefined;
    const at = differences(known.words, words, ownCounts);
    const [own, others] = at?.length ? [wordsIn(url), wordsIn(known.url)] : [];
    const isOwn = (each: number) => own?.has((words[each] ?? 0) >> 2) || others?.has((known.words[each] ?? 0) >> 2);
    return at && !at.some(isOwn) ? { known, at } : undefined;
  }

  const relatedTo = (page: TextPage): Near[] =>
    (byName.get(nameOf(page)) ?? [])
      .filter(({ url }) => isRelated(url, page.url))
      .flatMap((known) => near(known, page, true) ?? []);

  const exampleFor = (page: TextPage) => near(examples.get(shapeOf(new URL(page.url))), page, false);

  const isSame = ({ known: { changing }, at }: Near) => changing.size > 0 && at.every((each) => changing.has(each));

  /** Reads a page again, because of one that differs from it there. */
  async function readAgain({ known, at }: Near, read: (url: string) => Promise<Wording | undefined>): Promise<void> {
    const shape = shapeOf(new URL(known.url));
    const vain = inVain.get(shape) ?? 0;
    if (known.reads >= maxReads.page || vain >= maxReads.inVainOfShape || allInVain >= maxReads.inVain) return;
    known.reads++;
    const changed = differences(known.words, (await read(known.url))?.words, true) ?? [];
    for (const each of changed) known.changing.add(each);
    // Otherwise that is what the page says.
    if (known.changing.size > mostChanging(known.words)) known.changing.clear();
    const isSaid = !isSame({ known, at });
    inVain.set(shape, isSaid ? vain + 1 : 0);
    if (isSaid) allInVain++;
  }

  return {
    /** @param read returns what a URL says now, if it can be read */
    async compare(page: TextPage, read: (url: string) => Promise<Wording | undefined>): Promise<void> {
      const related = relatedTo(page);
      const example = exampleFor(page);
      if (related.some((one) => one.at.length === 0 || isSame(one))) return;
      for (const one of [...related.slice(0, 1), ...(example ? [example] : [])]) {
        const { known, at } = one;
        if (at.length === 0 || isSame(one)) continue;
        known.reading ??= readAgain(one, read).finally(() => {
          known.reading = undefined;
        });
        await known.reading;
      }
    },
    /** Returns the page with a related URL from which a page differs only in words that change. */
    sameAs: (page: TextPage): { url: string } | undefined => relatedTo(page).find(isSame)?.known,
    /** Whether a page differs only in such words, and in the numbers of its URL, from another one with a URL of its shape. */
    isLikeOthers(page: TextPage): boolean {
      const example = exampleFor(page);
      return (example !== undefined && isSame(example)) || relatedTo(page).some(isSame);
    },
    /** Keeps a page to compare others with it. */
    keep(page: TextPage): void {
      const { identity, url, scraped } = page;
      const { words } = scraped.wording ?? {};
      if (!words || kept >= maxKept) return;
      const alike = byName.get(nameOf(page)) ?? [];
      const shape = shapeOf(new URL(url));
      if (alike.length >= maxAlike && examples.has(shape)) return;
      kept++;
      const known: Known = { identity, url, words, changing: new Set(), reads: 0, reading: undefined };
      if (alike.length < maxAlike) byName.set(nameOf(page), [...alike, known]);
      if (!examples.has(shape)) examples.set(shape, known);
    },
  };
}

function mostChanging({ length }: Int32Array): number {
  return Math.min(length * maxChanging.half, Math.max(maxChanging.few, length * maxChanging.share));
}

/** Returns where two texts of as many words differ; undefined if they differ in more than may change. @param own whether numbers of their URLs count */
function differences(one: Int32Array, other: Int32Array | undefined, own: boolean): number[] | undefined {
  if (one.length !== other?.length) return undefined;
  const most = mostChanging(one);
  const found: number[] = [];
  for (const [at, word] of one.entries()) {
    const counterpart = other[at] ?? 0;
    const isOwn = (word & counterpart & wordFlags.own) !== 0;
    if (word >> 2 === counterpart >> 2 || (isOwn && !own)) continue;
    found.push(at);
    if (found.length > most) return undefined;
  }
  return found;
}

function nameOf(page: TextPage): string {
  return `${lastOf(page.url)} ${titleOf(page)}`;
}

/** Returns as much of a page's title as is compared: what `slice` returns would keep all of it in memory. */
export function titleOf({ scraped: { document } }: TextPage): string {
  return structuredClone((document.metadata.title ?? '').slice(0, maxTitle));
}

/** Whether two URLs differ in their queries only, or in the folders before the last part of their paths, or before the same route. */
export function isRelated(one: string, other: string): boolean {
  return lastOf(one) === lastOf(other) && (lastOf(one) !== '' || pathOf(one) === pathOf(other));
}

function lastOf(url: string): string {
  const path = pathOf(url);
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Returns the path of a URL, with the route of an application that its fragment is. */
function pathOf(url: string): string {
  const { pathname, hash } = new URL(url);
  return (pathname + hash).replace(endSlashes, '');
}

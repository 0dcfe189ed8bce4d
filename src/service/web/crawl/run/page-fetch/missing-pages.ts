import { wordFlags, wordsIn } from '../../../scrape/convert/wording.ts';
import type { ScrapedPage } from '../../../scrape/scrape.ts';
import { withoutScripts } from '../../scope/routes.ts';
import { withoutQuery } from '../../scope/urls.ts';
import type { TextPage } from '../site-knowledge/changing-words.ts';

/** Characters in the words of a page that is short. */
const maxShort = 600;
/** Numbers that may differ, such as the time. */
const maxNumbers = 4;
/** Pages that show the same text before a site is asked in their folder too. */
const several = 3;
const maxFolders = 5;
const maxSites = 5;
const maxTexts = 10_000;
/** Home pages that others are compared with: a crawl may have many sites. */
const maxHomes = 20;
/** How pages are read that may lack what scripts write: many may be as empty. */
const incomplete = new Set<unknown>(['fastMode', 'renderingFailed']);

/** What a site says at a URL. */
interface Answer {
  url: string;
  words: Int32Array;
  /** Whether it was redirected there. */
  isMoved: boolean;
}

/**
 * Finds pages that aren't there although the site returns status 200: those that say what it says for a URL that can't exist. A
 * site is asked for one once a page is short, as these are, unless it has shown already that it says when there is none; and in
 * a folder once several pages in it say the same, or one says nothing of what its URL names. It is asked for such values of a
 * query once several pages that differ only in these say the same, and another one says more.
 * @param name a name that no page has
 * @param ask reads a URL, if that is allowed and possible
 * @param says404 whether a site without scripts is known to say when there is no such page
 */
export function createMissingPages(
  name: string,
  ask: (url: string) => Promise<ScrapedPage | undefined>,
  says404: (origin: string) => Promise<boolean>,
) {
  /** What sites say for a URL that can't exist, by the folder of that. */
  const answers = new Map<string, Promise<Answer | undefined>>();
  const folders = new Map<string, number>();
  /** Pages that are there, whatever the site shows for other URLs: where the crawl starts, and the home page. */
  const homes: Answer[] = [];
  /** What the site has said for its URLs that can't exist. */
  const said: { folder: string; answer: Answer }[] = [];
  /** The first pages that show a short text, each of another path. */
  const texts = new Map<string, Answer[]>();
  /** Paths with a query where a page says more than those do that aren't there. */
  const paths = new Set<string>();

  function answer(folder: string, url = folder + name): Promise<Answer | undefined> | undefined {
    const known = answers.get(folder);
    const { origin } = new URL(folder);
    const count = folders.get(origin) ?? 0;
    if (known || count > maxFolders || (count === 0 && folders.size >= maxSites)) return known;
    folders.set(origin, count + 1);
    const asked = ask(url).then((scraped) => {
      const found = scraped && answerOf(scraped, url);
      // Where it led still has the name, as with a slash at its end: that isn't a page either.
      if (found && new URL(found.url).pathname.includes(name)) found.isMoved = false;
      if (found) said.push({ folder, answer: found });
      return found;
    });
    answers.set(folder, asked);
    return asked;
  }

  /** Returns the first pages that have shown the same text by now, each at another path, or with another query at a given one. */
  function alike(page: Answer, path = ''): Answer[] {
    const { url, words } = page;
    const own = wordsIn(url);
    // Pages of a series may differ in a number only.
    const isKept = (word: number) => (path === '' && (word & wordFlags.number) !== 0) || !own.has(word >> 2);
    const key = path + words.filter(isKept).join();
    const pages = texts.get(key) ?? [];
    const nameOf = path === '' ? withoutQuery : String;
    const isNew = pages.every((each) => nameOf(each.url) !== nameOf(url));
    if (isNew && pages.length < several) pages.push(page);
    if (texts.size < maxTexts) texts.set(key, pages);
    return pages;
  }

  /** Returns the URL of a page with a value that can't exist in the place of each one that differs in others. */
  function withoutSuch(url: string, others: readonly Answer[]): string {
    const none = new URL(url);
    for (const [key, value] of new URL(url).searchParams)
      if (others.some((each) => new URL(each.url).searchParams.get(key) !== value)) none.searchParams.set(key, name);
    return none.href;
  }

  /**
   * Returns the URLs of pages that are missing: the given one and those before it that turn out to be, too; none if it is there.
   * @param asked the page's URL before redirects
   */
  async function find({ url, scraped }: TextPage, asked: string, isStart: boolean): Promise<string[]> {
    const page = answerOf(scraped, asked);
    const { origin, pathname, search } = new URL(url);
    const path = withoutQuery(url);
    const isRoot = pathname === '/';
    // With a query, it may be any page.
    const isHome = isStart || (isRoot && search === '');
    const isMore = !page && (scraped.wording?.length ?? 0) > maxShort;
    if (isMore && search !== '' && paths.size < maxTexts) paths.add(path);
    if (page && isHome && homes.length < maxHomes) homes.push(page);
    if (!page || isHome || homes.some((home) => isSame(page, home))) return [];
    const pages = alike(page);
    const isKnown = withoutScripts.has(scraped.document.metadata.readBecause) && (await says404(origin));
    const root = isKnown || isRoot ? undefined : await answer(`${origin}/`);
    if (root && isSame(page, root)) return [url];
    const twins = search === '' ? [] : alike(page, path);
    const none = twins.length >= several && paths.has(path) && (await answer(`${path}?`, withoutSuch(url, twins)));
    if (none && isSame(page, none))
      return [...new Set([url, ...twins.filter((each) => isSame(each, none)).map((each) => each.url)])];
    if (isRoot) return [];
    const folder = folderOf(url);
    const mayBeMissing = pages.length >= several || (!isKnown && folder !== `${origin}/` && isUnnamed(page));
    const other = mayBeMissing ? await answer(folder) : undefined;
    if (!other || !isSame(page, other)) return [];
    const before = pages.filter((each) => folderOf(each.url) === folder && isSame(each, other));
    return [...new Set([url, ...before.map((each) => each.url)])];
  }

  return {
    find,
    /** Whether a page that was there so far says what the site has said by now for a URL that can't exist, in its folder or above. */
    isMissing({ url, scraped }: TextPage, asked: string, isStart: boolean): boolean {
      const page = isStart || new URL(url).pathname === '/' ? undefined : answerOf(scraped, asked);
      if (!page || homes.some((home) => isSame(page, home))) return false;
      return said.some(({ folder, answer }) => folderOf(url).startsWith(folder) && isSame(page, answer));
    },
  };
}

/** Returns what a page says, if it may be what a site says in place of one. */
function answerOf(scraped: TextPage['scraped'] & Partial<ScrapedPage>, asked: string): Answer | undefined {
  const { wording, isLogin, finalUrl: url = asked, statusCode = 200, document } = scraped;
  if (!wording?.words || wording.length === 0 || wording.length > maxShort || statusCode >= 400) return undefined;
  if (isLogin || scraped.asksToLogIn || scraped.failedParts || incomplete.has(document.metadata.readBecause))
    return undefined;
  return { url, words: wording.words, isMoved: withoutQuery(url) !== withoutQuery(asked) };
}

/** Whether a page says what the site says for another URL, apart from what the URLs say themselves. */
function isSame(page: Answer, other: Answer): boolean {
  // A page to which a site leads from anywhere, such as the home page, is there.
  if (other.isMoved && !(page.isMoved && withoutQuery(page.url) === withoutQuery(other.url))) return false;
  const own = new Set([...wordsIn(page.url), ...wordsIn(other.url)]);
  const [letters, others] = [page, other].map(({ words }) => lettersOf(words, own).join());
  return letters === others && differing(numbersOf(page), numbersOf(other)) <= maxNumbers;
}

/** Returns the folder of a page: of `/guide/` as of `/guide`. */
const folderOf = (url: string) => new URL('.', withoutQuery(url).replace(/\/$/, '')).href;

/** Whether a page has none of the words that its URL names it by, however they are written, as one has that isn't there. */
function isUnnamed({ url, words }: Answer): boolean {
  const name = withoutQuery(url).slice(folderOf(url).length);
  const capitalized = name.replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase());
  const ways = [name, capitalized, name.toUpperCase()].map((each) => wordsIn(`${new URL(url).origin}/${each}`));
  return ways.every((named) => named.size > 0 && !words.some((word) => named.has(word >> 2)));
}

function lettersOf(words: Int32Array, without: ReadonlySet<number>): Int32Array {
  return words.filter((word) => (word & wordFlags.number) === 0 && !without.has(word >> 2)).map((word) => word >> 2);
}

function numbersOf({ words }: Answer): Int32Array {
  return words
    .filter((word) => (word & wordFlags.number) !== 0 && (word & wordFlags.own) === 0)
    .map((word) => word >> 2);
}

/** Returns how many numbers only one of two lists has. */
function differing(one: Int32Array, other: Int32Array): number {
  const left = [...other];
  const own = one.filter((number) => {
    const at = left.indexOf(number);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  return own.length + left.length;
}

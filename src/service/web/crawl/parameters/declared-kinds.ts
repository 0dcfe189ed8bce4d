import { endSlashes } from '../../../../contract/addresses.ts';
import { limits } from '../../../../contract/limits.ts';
import { lazy } from '../../../platform/lazy.ts';
import type { KnownSite, MappedPage } from '../map/known-site.ts';
import { escaped } from '../scope/urls.ts';

/** Where pages of a kind are. */
interface DeclaredKind {
  /** Those that were read. */
  paths: readonly string[];
  /** Patterns of these on the pathname; none if no path tells them from others. */
  patterns: readonly string[];
}

/** Where pages are that declare what they are, by what they are called in comparable form. */
export type DeclaredKinds = ReadonlyMap<string, DeclaredKind>;

/** Names of pages, one of each that are the same, and the types that say so: of schema.org, and of Open Graph, which many sites give to all of their pages. */
const kinds: readonly { names: readonly string[]; type: RegExp; plain?: RegExp }[] = [
  { names: ['product'], type: /^Product(Group|Model)?$/, plain: /^(og:)?product(\.item)?$/ },
  { names: ['blog', 'news', 'story'], type: /^((?!Tech)\w*Article|\w*BlogPosting|Report)$/, plain: /^article$/ },
  { names: ['thread', 'topic', 'discussion', 'forum'], type: /^(DiscussionForumPosting|QAPage)$/ },
  { names: ['recipe'], type: /^Recipe$/ },
  { names: ['event'], type: /Event$/ },
  { names: ['job'], type: /^JobPosting$/ },
  { names: ['course'], type: /^Course$/ },
];
/** Pages of a type that show where such pages are. */
const leastPages = 2;
/** Pages that agree in a part of their path before all are expected to. */
const leastAlike = 5;
const maxPatterns = 5;

/**
 * Finds out where the pages of a site are that declare what they are, for sites without a section of that name: shops with their
 * products, and blogs with their posts, beside all others.
 */
export function declaredKinds({ pages, found: links }: KnownSite, home: string): DeclaredKinds {
  const read = [...pages.values()].filter(
    ({ url }) => pathOf(url) !== '' && pathOf(url) !== home.replace(endSlashes, ''),
  );
  const all = lazy(() => new Set([...links.values()].map(({ url }) => pathOf(url))));
  const found = new Map<string, DeclaredKind>();
  for (const { names, type, plain } of kinds) {
    const isOf = (declared: RegExp | undefined) => (page: MappedPage) =>
      page.subjects.some((subject) => declared?.test(subject));
    const [items] = [type, plain].map((each) => read.filter(isOf(each))).filter((some) => some.length >= leastPages);
    if (!items) continue;
    const own = items.some(({ url }) => pathOf(url).startsWith(home)) ? home : '';
    const paths = items.map(({ url }) => pathOf(url)).filter((path) => path.startsWith(own));
    const others = read.filter((page) => !items.includes(page)).map(({ url }) => pathOf(url));
    for (const name of names) found.set(name, { paths, patterns: patternsOf(paths, others, all()) });
  }
  return found;
}

const pathOf = (url: string): string => new URL(url).pathname.replace(endSlashes, '');

/**
 * Returns patterns for paths like these, without those of other pages that are known.
 * @param found paths of pages, read or not
 */
function patternsOf(items: readonly string[], others: readonly string[], found: ReadonlySet<string>): string[] {
  // Pages that only their queries tell apart.
  if (items.some((path) => others.includes(path)) || new Set(items).size < leastPages) return [];
  const byDepth = [...Map.groupBy(new Set(items), (path) => path.split('/').length).values()];
  if (byDepth.length > maxPatterns) return [];
  const read = new Set(others);
  const patterns = byDepth.map((paths) => {
    const all = paths.map((path) => path.split('/').slice(1));
    const last = lastPart(all.map((segments) => segments.at(-1) ?? ''));
    const folders = (all[0] ?? []).slice(0, -1).map((_, at) => all.map((segments) => segments[at] ?? ''));
    const own = `/${[...folders.map((values) => folderPart(values, true)), last].join('/')}/?$`;
    const open = `/${[...folders.map((values) => folderPart(values, false)), last].join('/')}/?$`;
    // Only some pages were read: those like them in other folders can be of the kind, too, unless all that are known are not.
    const [isOwn, isOpen] = [new RegExp(`^${own}`), new RegExp(`^${open}`)];
    const elsewhere = [...found].filter((path) => isOpen.test(path) && !isOwn.test(path));
    const like = elsewhere.length > 0 && elsewhere.every((path) => read.has(path)) ? own : open;
    const lists = others
      .filter((path) => (like === own ? isOwn : isOpen).test(path))
      .map((path) => escaped(path.slice(1)));
    const without = lists.length === 0 ? '' : `(?!/(?:${[...new Set(lists)].toSorted().join('|')})/?$)`;
    const pattern = `^${without}${like}`;
    return pattern.length <= limits.pathPatterns.length ? pattern : `^${like}`;
  });
  return patterns.every((pattern) => pattern.length <= limits.pathPatterns.length) ? patterns : [];
}

/** @param isLiteral whether a folder that all are in is named */
function folderPart(values: readonly string[], isLiteral: boolean): string {
  const [first = ''] = values;
  if (values.every((value) => /^\d+$/.test(value))) return '\\d+';
  const isOne = values.length >= leastAlike && values.every((value) => value === first);
  return isLiteral && isOne ? escaped(first) : '[^/]+';
}

/** Returns a pattern of the last part of paths: how it ends, and whether it begins with a number. */
function lastPart(values: readonly string[]): string {
  const [end = ''] = /\.[a-z]\w{0,4}$/i.exec(values[0] ?? '') ?? [];
  const isEnd = end !== '' && values.every((value) => value.endsWith(end));
  const isNumbered = values.length >= leastAlike && values.every((value) => /^\d+\D/.test(value));
  return `${isNumbered ? '\\d' : ''}[^/]+${isEnd ? escaped(end) : ''}`;
}

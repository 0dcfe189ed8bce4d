import { endSlashes } from '../../../../contract/addresses.ts';
import type { ListedPart } from '../../../../contract/crawl/crawl.ts';
import { limits } from '../../../../contract/limits.ts';
import { escaped } from '../scope/urls.ts';
import type { KnownSite } from './known-site.ts';

/** A pattern for the items of a section, and the parts of it that only list them. */
export interface Items {
  pattern: string;
  lists: ListedPart[];
}

/** Pages that a list leads to at least, one among pages whose URLs are like those of items, and one of a date. */
const least = { leads: 3, amongItems: 5, ofDate: 1 };
/** How many times as many pages of the section a list leads to as those to which it leads do. */
const times = { leads: 2, amongItems: 3, ofDate: 0 };
/** Share of the pages read in a section from which what they all link to, such as a menu, says nothing. */
const commonShare = 0.5;
const minRead = 4;
/** Characters for each link of a page that says little besides: the beginning of what it leads to. */
const perLink = 150;
/** Share of the pages of a kind that have to be lists, for all of them to be. */
const listShare = 2 / 3;
const minItems = 3;
/** Kinds of pages of which some are read, how many of each, and pages in total. */
const samples = { kinds: 8, each: 2, all: 10 };

/** A page of the section by its path, under whatever queries. */
interface Node {
  path: string;
  url: string;
  kind: string;
  /** Each time that it was read: the pages of the section to which it leads. */
  reads: { leads: Set<string>; length: number }[];
}

type Nodes = ReadonlyMap<string, Node>;

/** Returns pages whose reading tells which kinds of pages of a section are lists. */
export function unknownKinds(site: KnownSite, section: string): string[] {
  const kinds = [...kindsOf(nodesOf(site, section)).values()].sort((one, other) => other.length - one.length);
  const unknown = kinds.slice(0, samples.kinds).flatMap((nodes) => {
    const unread = nodes.filter(({ reads }) => reads.length === 0);
    return unread.slice(0, Math.max(0, samples.each - nodes.length + unread.length));
  });
  return unknown.slice(0, samples.all).map(({ url }) => url);
}

/**
 * Tells the items of a section from the pages that list them, by where its pages lead: a list leads to several pages that
 * themselves lead to few, and says less about each than that page says itself. Menus, which pages have in common, don't count.
 * Returns undefined if there are no such lists, or they can't be told.
 */
export function itemsOf(site: KnownSite, section: string): Items | undefined {
  const nodes = nodesOf(site, section);
  const kinds = kindsOf(nodes);
  const lists = listsAmong(nodes, kinds, section);
  // What is elsewhere under the rest of its path, as products of collections are, isn't an item of this section.
  const known = new Set([...site.found.values()].map(({ url }) => pathBelow(url, '')));
  const endsOf = (path: string) => [...path.matchAll(/\/(?=.*\/)/g)].map(({ index }) => path.slice(index));
  const isOwn = (path: string) => !endsOf(path.slice(section.length + 1)).some((end) => known.has(end));
  const items = [...nodes.keys()].filter((path) => !lists.has(path) && isOwn(path));
  if (lists.size === 0 || items.length < minItems) return undefined;
  const inside = [...nodes.values()].filter(({ path }) => path !== section);
  const byFolder = Map.groupBy(inside, ({ path }) => partsOf(path, section)[0] ?? '');
  const isAll = (some: readonly Node[] = []) => some.every(({ path }) => lists.has(path));
  /** Whether a folder has lists only. If one page of it is known, such as its own, the rest can be items. */
  const isWhole = (folder: string) => (byFolder.get(folder)?.length ?? 0) > 1 && isAll(byFolder.get(folder));
  /** Patterns of lists: of their folder or kind, if all in it are lists, or of one alone. */
  const parts = Map.groupBy(
    inside.filter(({ path }) => lists.has(path)),
    ({ path, kind }) => {
      const [folder = '', ...rest] = partsOf(path, section);
      if (isWhole(folder)) return `${escaped(folder)}(/|$)`;
      if (!isAll(kinds.get(kind))) return `${escaped([folder, ...rest].join('/'))}/?$`;
      return `${kind}/?$`;
    },
  );
  const isRoot = lists.has(section);
  const others = alternatives([...parts.keys()]);
  const start = `^${escaped(section)}`;
  const pattern = isRoot ? `${start}/${others && `(?!${others})`}.` : `${start}(?!/(${others}))(/|$)`;
  if (pattern.length > limits.pathPatterns.length) return undefined;
  const all = [...(isRoot ? [[nodes.get(section) as Node]] : []), ...parts.values()];
  /** The folder that is left out, if it is one. */
  const pathOf = (some: readonly Node[]) => {
    const [folder = ''] = partsOf(some[0]?.path ?? '', section);
    return folder !== '' && isWhole(folder) ? `${section}/${folder}` : commonPath(some);
  };
  return { pattern, lists: all.map((some) => ({ path: pathOf(some), pages: some.length, leadsTo: mostLeads(some) })) };
}

/** Returns the paths of a site's pages that only list others, each with the paths of those, as far as they are no lists themselves. */
export function listedBy(site: KnownSite): Map<string, ReadonlySet<string>> {
  const nodes = nodesOf(site, '');
  const lists = listsAmong(nodes, kindsOf(nodes), '');
  const leadsOf = (path: string) => nodes.get(path)?.reads.flatMap(({ leads }) => [...leads]) ?? [];
  return new Map([...lists].map((path) => [path, new Set(leadsOf(path).filter((lead) => !lists.has(lead)))]));
}

/** Whether a section is one list of pages that are elsewhere, on its own page and in further parts by their numbers. */
export function listsOthers(site: KnownSite, section: string): boolean {
  const nodes = nodesOf(site, '');
  const own = [...nodes.values()].filter(({ path }) => isIn(path, section));
  const isPart = ({ path }: Node) => /^(?:(?:\/\D+)?\/\d+)*$/.test(path.slice(section.length));
  const elsewhere = (leads: ReadonlySet<string>) => [...leads].filter((path) => !isIn(path, section));
  // The page of a section of items leads to these instead.
  const isOfOthers = nodes.get(section)?.reads.some(({ leads }) => elsewhere(leads).length * 2 >= leads.size);
  const reads = own.flatMap((node) => node.reads);
  const leads = new Set(reads.flatMap((read) => elsewhere(read.leads)));
  const length = reads.reduce((sum, read) => sum + read.length, 0);
  const isMore = leads.size < least.amongItems || length > leads.size * perLink;
  if (!isOfOthers || isMore || !own.every(isPart)) return false;
  return isList({ leads, length }, 'leads', knownOf(nodes, kindsOf(nodes)));
}

/** Returns the pages of a section, each with the pages of it that it was seen to lead to. */
function nodesOf({ found, pages }: KnownSite, section: string): Nodes {
  const nodes = new Map<string, Node>();
  const paths = new Map([...found.values()].map((link) => [link, pathBelow(link.url, section)]));
  for (const [{ url }, path] of paths)
    if (path !== undefined && !nodes.has(path)) nodes.set(path, { path, url, kind: kindOf(path, section), reads: [] });
  const read = [...pages.values()].flatMap(({ url, links, length }) => {
    const path = pathBelow(url, section);
    const leads = new Set(links.flatMap((link) => paths.get(link) ?? []));
    return path === undefined ? [] : [{ path, leads, length }];
  });
  const counts = new Map<string, number>();
  for (const { leads } of read) for (const path of leads) counts.set(path, (counts.get(path) ?? 0) + 1);
  const isCommon = (path: string) => read.length >= minRead && (counts.get(path) ?? 0) > read.length * commonShare;
  for (const { path, leads, length } of read) {
    // A breadcrumb leads to the folders that the page is in.
    const isOwn = (other: string) => isDate.test(path) && isIn(other, path);
    const own = [...leads].filter((other) => (!isCommon(other) || isOwn(other)) && !isIn(path, other));
    nodes.get(path)?.reads.push({ leads: new Set(own), length });
  }
  return nodes;
}

/** Whether the last part of a path is a number, and the last parts a year, month or day. */
const isNumber = /\/\d+$/;
const isDate = /\/(?:19|20)\d\d(?:\/\d\d?){0,2}$/;

const kindsOf = (nodes: Nodes): Map<string, Node[]> => Map.groupBy(nodes.values(), ({ kind }) => kind);

type About = (path: string) => ReturnType<typeof typicalOf>;

/** Returns a function that tells what is known of a page, or else of its kind. */
function knownOf(nodes: Nodes, kinds: ReadonlyMap<string, Node[]>): About {
  const typical = new Map([...kinds].map(([kind, some]) => [kind, typicalOf(some)]));
  return (path) => {
    const node = nodes.get(path);
    return node && (typicalOf([node]) ?? typical.get(node.kind));
  };
}

function isList({ leads, length }: Node['reads'][number], by: keyof typeof least, about: About): boolean {
  const things = [...leads].flatMap((path) => about(path) ?? []).filter((one) => one.leads * times[by] < leads.size);
  const saysLess = (length / things.length) * 2 <= mean(things.map((one) => one.length));
  return things.length >= least[by] && saysLess;
}

function listsAmong(nodes: Nodes, kinds: ReadonlyMap<string, Node[]>, section: string): Set<string> {
  const about = knownOf(nodes, kinds);
  const isOne = (node: Node, by: keyof typeof least) => node.reads.some((read) => isList(read, by, about));
  const lists = new Set<string>();
  const leadsOf = ({ reads }: Node) => reads.flatMap(({ leads }) => [...leads]);
  /** Whether pages of other kinds lead to most of some pages too. What belongs to an item, such as its transcript, is only there. */
  const isLedTo = (some: readonly string[], from: string) => {
    const besides = new Set([from, ...some.map((path) => nodes.get(path)?.kind)]);
    const others = new Set([...nodes.values()].filter(({ kind }) => !besides.has(kind)).flatMap(leadsOf));
    return some.filter((path) => others.has(path)).length * 2 >= some.length;
  };
  for (const [kind, some] of kinds) {
    const read = some.filter(({ reads }) => reads.length > 0);
    // A date that only leads to pages of it is a list, unless all dates lead to the same part of them, such as their comments.
    const isIndex = (node: Node) => isDate.test(node.path) && leadsOf(node).every((lead) => isIn(lead, node.path));
    const ofDates = read.filter((node) => isIndex(node) && isOne(node, 'ofDate'));
    const leads = [...new Set(ofDates.flatMap(leadsOf))];
    const areMany = new Set(leads.map(lastOf)).size > 1 && isLedTo(leads, kind);
    const found = read.filter((node) => isOne(node, 'leads') || (areMany && ofDates.includes(node)));
    const isKnown = read.length >= Math.min(samples.each, some.length);
    const isAll = isKnown && found.length > 0 && found.length >= read.length * listShare;
    for (const { path } of isAll ? some : read.filter((node) => isOne(node, 'amongItems'))) lists.add(path);
  }
  // The section's own page may lead to lists instead of items.
  for (const { leads } of nodes.get(section)?.reads ?? [])
    if (leads.size > 0 && [...leads].filter((path) => lists.has(path)).length >= leads.size / 2) lists.add(section);
  // What is above lists only is a list of lists, and numbers below a list are its pages, unless one that was read is an item.
  const ofItems = new Set(
    [...nodes.values()]
      .filter(({ path, reads }) => reads.length > 0 && isNumber.test(path) && !lists.has(path))
      .map(({ kind }) => kind),
  );
  for (const { path, reads, kind } of nodes.values()) {
    const list = foldersOf(path).find((folder) => lists.has(folder));
    const isPage = list && /^(\/\D+)?\/\d+$/.test(path.slice(list.length)) && !ofItems.has(kind);
    if (reads.length === 0 && isPage) lists.add(path);
  }
  const items = new Set([...nodes.keys()].filter((path) => !lists.has(path)).flatMap(foldersOf));
  const above = new Set([...lists].flatMap(foldersOf));
  for (const path of nodes.keys()) if (above.has(path) && !items.has(path)) lists.add(path);
  return lists;
}

/** Joins patterns, those with the same end in one group: `(archive|tag)(/|$)`. */
function alternatives(patterns: readonly string[]): string {
  const groups = Map.groupBy(patterns, (pattern) => (pattern.endsWith('/?$') ? '/?$' : '(/|$)'));
  const startsOf = (end: string, some: string[]) => some.map((one) => one.slice(0, -end.length)).toSorted();
  return [...groups].map(([end, some]) => `(${startsOf(end, some).join('|')})${end}`).join('|');
}

/** Returns the path of a URL if it is that of a section or below it. */
export function pathBelow(url: string, section: string): string | undefined {
  const path = new URL(url).pathname.replace(endSlashes, '');
  return isIn(path, section) ? path : undefined;
}

const lastOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
const isIn = (path: string, folder: string) => `${path}/`.startsWith(`${folder}/`);
const partsOf = (path: string, section: string) => path.slice(section.length + 1).split('/');

/** Returns a pattern of what lists, or items, of the same kind have in common: their folder, whatever its numbers and dates are. */
function kindOf(path: string, section: string): string {
  const folders = path === section ? [] : partsOf(path, section).slice(0, -1);
  const patterns = folders.map((part) => (/^\d[\d-]*$/.test(part) ? '[\\d-]+' : escaped(part)));
  return path === section ? '' : [...patterns, '[^/]+'].join('/');
}

/** Returns the folders that a path is in, the innermost last. */
function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let end = path.indexOf('/', 1); end > 0; end = path.indexOf('/', end + 1)) folders.push(path.slice(0, end));
  return folders;
}

/** Returns the folder that some pages are in, or the page. */
function commonPath(nodes: readonly Node[]): string {
  const first = nodes[0]?.path ?? '';
  const isCommon = (folder: string) => nodes.every(({ path }) => isIn(path, folder));
  return [first, ...foldersOf(first).toReversed()].find(isCommon) ?? '';
}

const mostLeads = (nodes: readonly Node[]) =>
  nodes.flatMap(({ reads }) => reads).reduce((most, { leads }) => Math.max(most, leads.size), 0);

/** Returns what pages are like: as one of those that lead to few, since lists are read first. */
function typicalOf(nodes: readonly Node[]): { leads: number; length: number } | undefined {
  const reads = nodes.flatMap((node) => node.reads).sort((one, other) => one.leads.size - other.leads.size);
  const typical = reads[Math.floor((reads.length - 1) / 4)];
  return typical && { leads: typical.leads.size, length: typical.length };
}

const mean = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

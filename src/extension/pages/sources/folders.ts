import { orderKey } from '../../../contract/crawl/page-order.ts';
import type { JobPage, PageFolder } from '../../../contract/crawl/pages.ts';
import { type FolderListing, partOf } from './page-source.ts';

/** Groups pages, given in their order, by the path of their URLs: the folders and pages directly in a folder. */
export function listFolder(
  pages: readonly JobPage[],
  folder: string | undefined,
  from: string | undefined,
  limit: number,
): FolderListing {
  const prefix = folder ?? commonFolder(pages.map(({ url }) => url));
  const within = pages.filter(({ url }) => url.startsWith(prefix));
  // Pages directly in the folder have no folder of their own.
  const folders = Map.groupBy(within, ({ url }) => url.slice(0, pathEnd(url, prefix.length) + 1));
  const all: (PageFolder | JobPage)[] = folders.get('') ?? [];
  folders.delete('');
  for (const [name, inside] of folders) {
    const [only] = inside;
    if (inside.length === 1 && only) all.push(only);
    else {
      const inner = commonFolder(inside.map(({ url }) => url));
      const deepest = inner.length > name.length ? inner : name;
      all.push({ prefix: deepest, name: deepest.slice(prefix.length).replace(/\/$/, ''), ...counts(inside) });
    }
  }
  const { items, cursor } = partOf(all, from, limit);
  return {
    folder: prefix,
    folders: items.filter((one): one is PageFolder => 'prefix' in one),
    pages: items.filter((one): one is JobPage => !('prefix' in one)),
    cursor,
    ...counts(within),
  };
}

/** Returns pages ordered by URL, numbers in it by their value. */
export function inOrder<Page extends JobPage>(pages: readonly Page[]): Page[] {
  return pages
    .map((page) => ({ page, key: orderKey(page.url) }))
    .sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : one.page.order - other.page.order))
    .map(({ page }) => page);
}

/** Returns the longest prefix ending in a slash that all URLs share. */
export function commonFolder(urls: readonly string[]): string {
  const [first = '', ...others] = urls;
  let length = first.replace(/[?#].*$/s, '').lastIndexOf('/') + 1;
  for (const url of others) {
    while (length > 0 && !url.startsWith(first.slice(0, length))) length = first.lastIndexOf('/', length - 2) + 1;
  }
  return first.slice(0, length);
}

/** Returns the index of the next slash of the path, never one of the query; -1 if there is none. */
function pathEnd(url: string, from: number): number {
  const query = url.slice(from).search(/[?#]/);
  const slash = url.indexOf('/', from);
  return query >= 0 && slash > from + query ? -1 : slash;
}

function counts(pages: readonly JobPage[]) {
  return {
    pageCount: pages.length,
    failedCount: pages.filter(({ state }) => state === 'failed').length,
    blockedCount: pages.filter(({ state }) => state === 'blocked').length,
  };
}

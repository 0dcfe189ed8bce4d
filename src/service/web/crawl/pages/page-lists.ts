import * as z from 'zod';
import { parseUrl } from '../../../../contract/addresses.ts';
import { pageLimits } from '../../../../contract/crawl/page-limits.ts';
import type { JobPage, PageFolder, pageEndpoints } from '../../../../contract/crawl/pages.ts';
import type { CheckedRequestOf } from '../../../../contract/endpoints.ts';
import { limits } from '../../../../contract/limits.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { identityOf, identityRules, parseLink } from '../scope/urls.ts';
import type { Job } from '../store/job-table.ts';
import type { ChildFolder, ListedPage, PageCounts, PageTable } from './page-table.ts';

type ListQuery = CheckedRequestOf<(typeof pageEndpoints)['listPages']>['query'];
type FolderQuery = CheckedRequestOf<(typeof pageEndpoints)['listPageFolder']>['query'];

interface PageOfPages {
  pages: JobPage[];
  cursor: string | null;
}

const place = z.int().min(0);
const text = z.string().max(limits.url);
const position = z.object({ folder: text, name: text });
/** A folder's subfolders come before its own pages. */
const inFolder = z.union([z.object({ prefix: text }), z.object({ name: text })]);

/** Lists pages of a job, by URL if `folder` is set. Throws 400 for an invalid cursor. */
export async function listPages(
  table: PageTable,
  job: Job,
  { folder, url, state, onlyChanges, cursor, limit }: ListQuery,
): Promise<PageOfPages> {
  const count = limit ?? pageLimits.listed.default;
  const filter = { state, onlyChanges, count: count + 1 };
  if (url !== undefined) {
    const page = await findPage(table, job, url);
    const matches = page && (state === undefined || page.state === state) && !(onlyChanges && !isChange(page));
    return { pages: matches ? [page] : [], cursor: null };
  }
  if (folder !== undefined) {
    const found = await table.below(job.num, folder, readCursor(position, cursor), filter);
    return pageOf(found, count, (last) => last.position);
  }
  const found = await table.inOrder(job.num, readCursor(place, cursor) ?? 0, filter);
  return pageOf(found, count, (last) => last.page.order);
}

/** Whether a page differs from the crawl that its job repeats. */
function isChange({ changeStatus }: JobPage): boolean {
  return changeStatus != null && changeStatus !== 'same';
}

/** Returns the first `count` of the rows, and a cursor if there are more. */
function pageOf(found: ListedPage[], count: number, positionOf: (last: ListedPage) => unknown): PageOfPages {
  const shown = found.slice(0, count);
  const last = shown.at(-1);
  return {
    pages: shown.map(({ page }) => page),
    cursor: found.length > count && last ? cursorOf(positionOf(last)) : null,
  };
}

/** Returns the page of a job with this URL, before or after redirects. */
export async function findPage(table: PageTable, job: Job, text: string): Promise<JobPage | undefined> {
  const url = parseUrl(text);
  if (!url) return undefined;
  // Pages of a batch are told apart by fragment.
  if (job.kind === 'batch_scrape') return await table.find(job.num, url.href, url.href);
  const link = parseLink(text);
  return link && (await table.find(job.num, link.href, identityOf(link, identityRules(job.options))));
}

/** Lists what is directly in a folder: subfolders, then pages. Subfolders with a single page are listed as that page. */
export async function listFolder(
  table: PageTable,
  job: Job,
  query: FolderQuery,
): Promise<PageOfPages & PageCounts & { folder: string; folders: PageFolder[] }> {
  const after = readCursor(inFolder, query.cursor);
  const limit = query.limit ?? pageLimits.listed.default;
  const folder = query.folder ?? (await table.top(job.num));
  if (folder === undefined) {
    return { folder: '', folders: [], pages: [], cursor: null, pageCount: 0, failedCount: 0, blockedCount: 0 };
  }
  const children = after && 'name' in after ? [] : await table.foldersIn(job.num, folder, after?.prefix, limit + 1);
  const shown = children.slice(0, limit);
  const only = await Promise.all(shown.map((child) => onlyPage(table, job, child)));
  const pages = only.filter((page) => page !== undefined);
  const common = {
    folder,
    folders: shown.filter(({ pageCount }) => pageCount > 1).map((child) => folderOf(folder, child)),
    // All pages are in the top folder, so they needn't be counted again.
    ...(query.folder === undefined ? countsOf(job) : await table.counts(job.num, folder)),
  };
  const lastChild = shown.at(-1);
  if (children.length > limit && lastChild) {
    return { ...common, pages, cursor: cursorOf({ prefix: lastChild.prefix }) };
  }
  const count = limit - shown.length;
  const direct = await table.directlyIn(job.num, folder, after && 'name' in after ? after.name : undefined, count + 1);
  if (count === 0 && direct.length > 0 && lastChild) {
    return { ...common, pages, cursor: cursorOf({ prefix: lastChild.prefix }) };
  }
  const own = pageOf(direct, count, (last) => ({ name: last.position.name }));
  return { ...common, pages: [...pages, ...own.pages], cursor: own.cursor };
}

function countsOf({ completed, failed, blocked }: Job): PageCounts {
  return { pageCount: completed + failed + blocked, failedCount: failed, blockedCount: blocked };
}

async function onlyPage(table: PageTable, job: Job, child: ChildFolder): Promise<JobPage | undefined> {
  if (child.pageCount !== 1) return undefined;
  const [only] = await table.below(job.num, child.prefix, undefined, { count: 1 });
  return only?.page;
}

function folderOf(parent: string, { shared, pageCount, failedCount, blockedCount }: ChildFolder): PageFolder {
  const name = shared.slice(parent.length, -1);
  return { prefix: shared, name, pageCount, failedCount, blockedCount };
}

/** Encodes where a list continues. */
export function cursorOf(position: unknown): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** Decodes a cursor. Throws 400 if it isn't one of this list. */
export function readCursor<Schema extends z.ZodType>(
  schema: Schema,
  cursor: string | undefined,
): z.output<Schema> | undefined {
  if (cursor === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch (error) {
    throw new ServiceError(400, "cursor: isn't a cursor of this list. Leave it out to start over.", { cause: error });
  }
}

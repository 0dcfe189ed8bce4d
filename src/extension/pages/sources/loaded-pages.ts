import type { Client } from '../../../client/client.ts';
import type { JobRef } from '../../../client/job-documents.ts';
import { readDocuments, readErrors, readState } from '../../../client/job-documents.ts';
import type { FoundPage, JobPage } from '../../../contract/crawl/pages.ts';
import type { ScrapeDocument } from '../../../contract/scrape/scrape.ts';
import { Signal } from '../../ui/lifecycle.ts';
import { matchesIn } from '../search/match-lines.ts';
import { documentOfFailure, failuresOf } from './failures.ts';
import { inOrder, listFolder } from './folders.ts';
import type { FolderListing, ListRequest, PageList, PageSource } from './page-source.ts';

/** Characters of markdown that are kept of a job for searching; pages beyond are listed, and read again when opened. */
const maxKeptCharacters = 64 * 1024 * 1024;
/** How often views show the pages loaded so far. */
const showEveryMs = 500;
/** A first response that is small shows the first rows sooner. */
const firstCount = 20;

interface LoadedPage extends JobPage {
  /** Position among the documents of the job; undefined for pages without a document. */
  index: number | undefined;
  markdown: string | undefined;
}

/** The pages of a job on a server that only has the job's documents: reads them to the end, once. */
export class LoadedPages implements PageSource {
  readonly job: JobRef;
  /** Fires when more pages were loaded. */
  readonly onLoaded = new Signal<void>();
  #client: Client;
  #documents: LoadedPage[] = [];
  #failures: LoadedPage[] = [];
  #byUrl = new Map<string, LoadedPage>();
  /** All pages ordered by URL; undefined until they are listed. */
  #sorted: LoadedPage[] | undefined;
  #shownAt = 0;
  #keptCharacters = 0;
  #running = false;
  #loading: Promise<void> | undefined;
  #first: Promise<void> | undefined;

  constructor(job: JobRef, client: Client) {
    this.job = job;
    this.#client = client;
  }

  /** True while pages are still being read. */
  get loading(): boolean {
    return this.#loading !== undefined;
  }

  /** The number of pages loaded so far, and of those whose text is kept. */
  get loaded(): { pages: number; searchable: number } {
    const searchable = this.#documents.filter(({ markdown }) => markdown !== undefined).length;
    return { pages: this.#documents.length, searchable };
  }

  async folder(folder: string | undefined, cursor: string | undefined, limit: number): Promise<FolderListing> {
    await this.#ready();
    this.#sorted ??= inOrder(this.#pages);
    return listFolder(this.#sorted, folder, Number(cursor ?? 0), limit);
  }

  async list({ state, cursor, limit }: ListRequest): Promise<PageList> {
    await this.#ready();
    const skip = Number(cursor ?? 0);
    const pages = this.#pages.filter((page) => state === undefined || page.state === state);
    return {
      pages: pages.slice(skip, skip + limit),
      cursor: skip + limit < pages.length ? String(skip + limit) : undefined,
    };
  }

  async find(urls: readonly string[]): Promise<JobPage | undefined> {
    await this.#ready();
    const known = () => urls.map((url) => this.#byUrl.get(url)).find((page) => page !== undefined);
    const found = known();
    if (found || !this.#loading) return found;
    await this.#loading;
    return known();
  }

  async findAll(urls: readonly string[]): Promise<ReadonlyMap<string, JobPage>> {
    await this.#ready();
    return new Map(
      urls.flatMap((url) => {
        const page = sameAddress(url)
          .map((one) => this.#byUrl.get(one))
          .find((one) => one !== undefined);
        return page ? [[url, page] as const] : [];
      }),
    );
  }

  async document(page: JobPage): Promise<ScrapeDocument> {
    const { index } = this.#byUrl.get(page.url) ?? {};
    if (index === undefined) return documentOfFailure(page);
    const { data } = await readState(this.#client, this.job, { skip: index, limit: 1 });
    const [document] = data;
    return document ?? documentOfFailure(page);
  }

  /** Waits until all pages are loaded. */
  async complete(): Promise<void> {
    await this.#ready();
    await this.#loading;
  }

  /** Searches the pages loaded so far, up to `limit` pages. */
  search(query: string, limit: number): { results: FoundPage[]; total: number } {
    const results: FoundPage[] = [];
    let total = 0;
    for (const page of this.#documents) {
      const found = matchesIn(page, page.markdown ?? '', query);
      if (!found) continue;
      total++;
      if (results.length < limit) results.push({ jobId: this.job.id, page, ...found });
    }
    return { results, total };
  }

  get #pages(): LoadedPage[] {
    return [...this.#documents, ...this.#failures];
  }

  /** Waits for the first pages; reads those added since when the job was running. */
  async #ready(): Promise<void> {
    if (this.#running && !this.#loading) this.#first = undefined;
    this.#first ??= this.#start();
    await this.#first;
  }

  async #start(): Promise<void> {
    const first = Promise.withResolvers<void>();
    const loading = this.#readAll(first.resolve).finally(() => {
      this.#loading = undefined;
      this.onLoaded.fire();
    });
    this.#loading = loading;
    loading.catch((error: unknown) => {
      this.#first = undefined;
      first.reject(error);
    });
    await first.promise;
  }

  async #readAll(hasFirst: () => void): Promise<void> {
    if (this.#documents.length === 0) {
      const state = await readState(this.#client, this.job, { skip: 0, limit: firstCount });
      this.#add(state.data);
      this.#running = state.status === 'scraping';
      if (!state.next) {
        await this.#readFailures();
        hasFirst();
        return;
      }
      hasFirst();
    }
    for await (const state of readDocuments(this.#client, this.job, { skip: this.#documents.length })) {
      this.#add(state.data);
      this.#running = state.status === 'scraping';
      hasFirst();
      this.#show();
    }
    await this.#readFailures();
  }

  /** Views list all pages again, so they are told only now and then. */
  #show(): void {
    const now = Date.now();
    if (now - this.#shownAt < showEveryMs) return;
    this.#shownAt = now;
    this.onLoaded.fire();
  }

  #add(documents: readonly ScrapeDocument[]): void {
    for (const { metadata, markdown } of documents) {
      const url = metadata?.url ?? metadata?.sourceURL ?? '';
      const kept = markdown && this.#keptCharacters + markdown.length <= maxKeptCharacters ? markdown : undefined;
      this.#keptCharacters += kept?.length ?? 0;
      const page = {
        order: this.#documents.length + 1,
        index: this.#documents.length,
        url,
        id: metadata?.scrapeId,
        title: metadata?.title,
        statusCode: metadata?.statusCode,
        state: 'ok',
        markdown: kept,
      };
      this.#documents.push(page);
      this.#byUrl.set(url, page);
    }
    this.#sorted = undefined;
  }

  async #readFailures(): Promise<void> {
    const failures = await readErrors(this.#client, this.job).catch(() => ({
      // Not every server lists them; the pages are there all the same.
      errors: [],
      robotsBlocked: [],
    }));
    this.#failures = failuresOf(failures, this.#documents.length).map((page) => ({
      ...page,
      index: undefined,
      markdown: undefined,
    }));
    for (const page of this.#failures) if (!this.#byUrl.has(page.url)) this.#byUrl.set(page.url, page);
    this.#sorted = undefined;
  }
}

/** Returns the URLs that are likely to be the same page: without the fragment, with and without a slash at the end of the path. */
function sameAddress(url: string): string[] {
  if (!URL.canParse(url)) return [url];
  const plain = new URL(url);
  plain.hash = '';
  const other = new URL(plain);
  other.pathname = other.pathname.endsWith('/') ? other.pathname.slice(0, -1) : `${other.pathname}/`;
  return [url, plain.href, other.href];
}

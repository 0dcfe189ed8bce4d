import type { Client } from '../../../client/client.ts';
import type { FoundPage, JobPage } from '../../../contract/pages.ts';
import type { ScrapeDocument } from '../../../contract/scrape.ts';
import type { JobRef } from '../../ui/job-pages.ts';
import { Signal } from '../../ui/lifecycle.ts';
import { matchesIn } from '../search/match-lines.ts';
import { listFolder } from './folders.ts';
import { readDocuments, readErrors, readState } from './job-documents.ts';
import type { FolderListing, ListRequest, PageList, PageSource } from './page-source.ts';
import { documentOfFailure } from './service-pages.ts';

/** Characters of markdown that are kept of a job for searching; pages beyond are listed, and read again when opened. */
const maxKeptCharacters = 64 * 1024 * 1024;
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
    return listFolder(this.#pages, folder, Number(cursor ?? 0), limit);
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
    const known = () => this.#pages.find(({ url }) => urls.includes(url));
    const found = known();
    if (found || !this.#loading) return found;
    await this.#loading;
    return known();
  }

  async document(page: JobPage): Promise<ScrapeDocument> {
    const { index, url } = this.#documents.find((known) => known.url === page.url) ?? {};
    if (index === undefined || url === undefined) return documentOfFailure(page);
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
      this.onLoaded.fire();
    }
    await this.#readFailures();
  }

  #add(documents: readonly ScrapeDocument[]): void {
    for (const { metadata, markdown } of documents) {
      const url = metadata?.url ?? metadata?.sourceURL ?? '';
      const kept = markdown && this.#keptCharacters + markdown.length <= maxKeptCharacters ? markdown : undefined;
      this.#keptCharacters += kept?.length ?? 0;
      this.#documents.push({
        order: this.#documents.length + 1,
        index: this.#documents.length,
        url,
        id: metadata?.scrapeId,
        title: metadata?.title,
        statusCode: metadata?.statusCode,
        state: 'ok',
        markdown: kept,
      });
    }
  }

  async #readFailures(): Promise<void> {
    const { errors, robotsBlocked } = await readErrors(this.#client, this.job).catch(() => ({
      // Not every server lists them; the pages are there all the same.
      errors: [],
      robotsBlocked: [],
    }));
    const failed = errors.map(({ url, code, error }) => ({ url, code, reason: error, state: 'failed' }));
    const blocked = robotsBlocked.map((url) => ({ url, reason: 'Blocked by robots.txt.', state: 'blocked' }));
    this.#failures = [...failed, ...blocked].map((page, index) => ({
      ...page,
      order: this.#documents.length + index + 1,
      index: undefined,
      markdown: undefined,
    }));
  }
}

import * as l10n from '@vscode/l10n';
import type { Client } from '../../../client/client.ts';
import { type JobRef, readDocuments, readErrors, readState } from '../../../client/job-documents.ts';
import type { FoundPage, JobPage } from '../../../contract/crawl/pages.ts';
import { limits } from '../../../contract/limits.ts';
import type { ScrapeDocument } from '../../../contract/scrape/scrape.ts';
import type { RateLimit } from '../../connection/polling/rate-limit.ts';
import { Signal } from '../../ui/lifecycle.ts';
import { matchesIn } from '../search/match-lines.ts';
import { inOrder, listFolder } from './folders.ts';
import {
  documentOfFailure,
  type FolderListing,
  failuresOf,
  type ListRequest,
  type PageList,
  type PageSource,
  partOf,
} from './page-source.ts';

/** Characters of markdown that are kept of a job for searching; pages beyond are listed, and read again when opened. */
const maxKeptCharacters = 64 * 1024 * 1024;
/** Pages that are listed of a job, and characters of their addresses and titles. */
const most = { pages: limits.crawlPages.max, characters: 512_000_000 };
/** How often views show the pages loaded so far. */
const showEveryMs = 500;

interface LoadedPage extends JobPage {
  /** Position among the documents of the job; undefined for pages without a document. */
  index?: number;
  markdown?: string | undefined;
}

/**
 * The pages of a job on a server that only has the job's documents: reads them to the end, once. Those added since are
 * read when the job is known to have progressed. What fails is read again only when somebody asks for it.
 */
export class LoadedPages implements PageSource {
  readonly job: JobRef;
  /** Fires when views should list the pages again. */
  readonly onLoaded = new Signal<void>();
  #client: Client;
  #limit: RateLimit;
  #documents: LoadedPage[] = [];
  #failures: LoadedPage[] = [];
  #byUrl = new Map<string, LoadedPage>();
  /** All pages ordered by URL; undefined until they are listed. */
  #sorted: LoadedPage[] | undefined;
  #keptCharacters = 0;
  #listedCharacters = 0;
  /** The progress for which the pages were read: a number of pages, or infinite for a job that has ended. */
  #progress = -1;
  #reading: Promise<void> | undefined;
  #hasPages = Promise.withResolvers<void>();
  #failure: unknown;
  #shown: 'nothing' | 'outdated' | 'all' = 'nothing';

  constructor(job: JobRef, client: Client, limit: RateLimit) {
    this.job = job;
    this.#client = client;
    this.#limit = limit;
  }

  /** True while pages are still being read. */
  get loading(): boolean {
    return this.#reading !== undefined;
  }

  /** Why the last reading ended early. */
  get failure(): unknown {
    return this.#failure;
  }

  /** The number of pages loaded so far, and of those whose text is kept. */
  get loaded(): { pages: number; searchable: number } {
    const searchable = this.#documents.filter(({ markdown }) => markdown !== undefined).length;
    return { pages: this.#documents.length, searchable };
  }

  follow(progress: number): void {
    if (progress <= this.#progress) return;
    this.#progress = progress;
    this.#read();
  }

  /** Reads on if the last reading failed. */
  retry(): void {
    if (this.#failure !== undefined) this.#read();
  }

  async folder(folder: string | undefined, cursor: string | undefined, limit: number): Promise<FolderListing> {
    await this.#ready();
    this.#sorted ??= inOrder(this.#pages);
    return listFolder(this.#sorted, folder, cursor, limit);
  }

  async list({ state, cursor, limit }: ListRequest): Promise<PageList> {
    await this.#ready();
    const pages = this.#pages.filter((page) => state === undefined || page.state === state);
    const part = partOf(pages, cursor, limit);
    return { pages: part.items, cursor: part.cursor };
  }

  async find(urls: readonly string[]): Promise<ReadonlyMap<string, JobPage>> {
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

  async complete(): Promise<void> {
    this.follow(0);
    this.retry();
    await this.#reading;
    if (this.#failure !== undefined) throw this.#failure;
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

  /** Waits for the first pages. */
  async #ready(): Promise<void> {
    this.follow(0);
    if (this.#documents.length === 0) await Promise.race([this.#hasPages.promise, this.#reading]);
    this.#shown = 'all';
    if (this.#documents.length === 0 && this.#failure !== undefined) throw this.#failure;
  }

  /** Reads the pages added since, after a reading that hasn't ended yet. */
  #read(): void {
    const reading = (this.#reading ?? Promise.resolve()).then(async () => {
      try {
        if (this.#limit.active) throw new Error(l10n.t('The server is rate limiting requests.'));
        await this.#readOn();
        this.#setFailure(undefined);
      } catch (error) {
        this.#limit.note(error);
        this.#setFailure(error);
      }
      if (this.#reading === reading) this.#reading = undefined;
      this.#show();
    });
    this.#reading = reading;
  }

  async #readOn(): Promise<void> {
    let shownAt = Date.now();
    for await (const state of readDocuments(this.#client, this.job, { skip: this.#documents.length })) {
      this.#add(state.data);
      if (state.status !== 'scraping') this.#progress = Number.POSITIVE_INFINITY;
      // The pages of a small job are shown together with those that failed.
      if (state.next) this.#hasPages.resolve();
      // Views list all pages again, so they are told only now and then.
      if (Date.now() - shownAt < showEveryMs) continue;
      shownAt = Date.now();
      this.#show();
    }
    await this.#readFailures();
  }

  /** Lets views that list pages list them again if there is something new. */
  #show(): void {
    if (this.#shown === 'outdated') this.onLoaded.fire();
  }

  #changed(): void {
    this.#sorted = undefined;
    if (this.#shown === 'all') this.#shown = 'outdated';
  }

  #setFailure(failure: unknown): void {
    if (failure === this.#failure) return;
    this.#failure = failure;
    this.#changed();
  }

  #add(documents: readonly ScrapeDocument[]): void {
    for (const { metadata, markdown } of documents) {
      const url = metadata?.url ?? metadata?.sourceURL ?? '';
      this.#listedCharacters += url.length + (metadata?.title?.length ?? 0);
      if (this.#documents.length >= most.pages || this.#listedCharacters > most.characters)
        throw new Error(l10n.t('The server lists more pages than can be shown.'));
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
    if (documents.length > 0) this.#changed();
  }

  async #readFailures(): Promise<void> {
    const failures = await readErrors(this.#client, this.job).catch((error: unknown) => {
      this.#limit.note(error);
      // Not every server lists them; the pages are there all the same.
      return { errors: [], robotsBlocked: [] };
    });
    const before = this.#failures.length;
    this.#failures = failuresOf(failures, this.#documents.length);
    for (const page of this.#failures) if (!this.#byUrl.has(page.url)) this.#byUrl.set(page.url, page);
    if (this.#failures.length !== before) this.#changed();
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

import type { JobRef } from '../../client/job-documents.ts';
import type { JobPage } from '../../contract/crawl/pages.ts';
import type { ScrapeDocument } from '../../contract/scrape/scrape.ts';
import type { Connection } from '../connection/connection.ts';
import { keepNewest, Signal } from '../ui/lifecycle.ts';
import { linkKey, type PagePath, pageName, parsePath, type SavedLinks, urlsOf } from './page-paths.ts';
import { linksIn } from './page-texts.ts';
import type { LoadedPages } from './sources/loaded-pages.ts';
import type { PageSource } from './sources/page-source.ts';

type PageConnection = Pick<Connection, 'rateLimit' | 'access'>;

/** A document of a page, as it was read. */
export interface ReadPage {
  document: ScrapeDocument;
  /** Milliseconds since 1970. */
  readAt: number;
  /** False if the URL isn't a page of the job. */
  found: boolean;
}

/** Documents kept in memory. */
const maxDocuments = 100;
/** Jobs whose pages are kept. */
const maxJobs = 20;
/** Pages whose links are kept: more than their documents, since a preview may be drawn again later. */
const maxLinkedPages = 1_000;
/** Pages whose rows or search results were shown, so that they open without a lookup. */
const maxKnownPages = 50_000;

/** The pages of crawls and batches, read from the target on demand. */
export class PagesStore {
  /** Fires when the pages of a job should be listed again. */
  readonly onLoaded = new Signal<JobRef>();
  #connection: PageConnection;
  #sources = new Map<string, Promise<PageSource>>();
  #loaded = new Map<string, LoadedPages>();
  #known = new Map<string, JobPage>();
  #documents = new Map<string, Promise<ReadPage>>();
  #links = new Map<string, SavedLinks>();

  constructor(connection: PageConnection) {
    this.#connection = connection;
  }

  /** Returns the pages of a job. Reads nothing yet. Rejects like `Connection.access`. */
  async source(job: JobRef): Promise<PageSource> {
    const known = this.#sources.get(keyOf(job));
    if (known) return await known;
    const created = this.#create(job);
    this.#sources.set(keyOf(job), created);
    for (const key of [...this.#sources.keys()].slice(0, -maxJobs)) {
      this.#sources.delete(key);
      this.#loaded.delete(key);
    }
    created.catch(() => this.#sources.delete(keyOf(job)));
    return await created;
  }

  /** Jobs whose pages were loaded from a server that can't search. */
  get loaded(): LoadedPages[] {
    return [...this.#loaded.values()];
  }

  /** Remembers pages that were listed, so that opening one needs no lookup. */
  remember(job: JobRef, pages: readonly JobPage[]): void {
    for (const page of pages) this.#known.set(`${keyOf(job)}/${pageName(page.url)}`, page);
    keepNewest(this.#known, maxKnownPages);
  }

  /** Reads the page of a document. Rejects with a ClientError. */
  async read(path: PagePath): Promise<ReadPage> {
    const key = documentKey(path);
    const known = this.#documents.get(key);
    if (known) return await known;
    const reading = this.#read(path);
    this.#documents.set(key, reading);
    keepNewest(this.#documents, maxDocuments);
    reading.then(
      // A page that isn't part of a running crawl may be part of it later.
      ({ found }) => found || this.#documents.delete(key),
      () => this.#documents.delete(key),
    );
    return await reading;
  }

  /**
   * Looks up which links of a page lead to pages of its job that have a document. Never rejects: without an answer, all
   * lead to the site.
   */
  async readLinks(path: PagePath, { document }: ReadPage): Promise<void> {
    const urls = [...new Set(linksIn(document.markdown ?? '').map(linkKey))];
    if (path.kind === 'scrape' || urls.length === 0) return;
    const job: JobRef = { kind: path.kind, id: path.jobId };
    const pages = await this.source(job)
      .then((source) => source.find(urls))
      .catch(() => undefined);
    const links = [...(pages ?? [])].flatMap(([url, page]) => (page.state === 'ok' ? [[url, page] as const] : []));
    this.#links.set(documentKey(path), new Map(links));
    keepNewest(this.#links, maxLinkedPages);
  }

  /** Returns the links of a document that lead to saved pages, as of when it was opened. */
  linksOf(documentPath: string): SavedLinks {
    const path = parsePath(documentPath);
    return (path && this.#links.get(documentKey(path))) ?? noLinks;
  }

  /** Returns the page of a document if it is part of a job. */
  async page({ kind, jobId, page }: PagePath): Promise<JobPage | undefined> {
    if (kind === 'scrape') return undefined;
    const job: JobRef = { kind, id: jobId };
    const known = this.#known.get(`${keyOf(job)}/${page}`);
    if (known) return known;
    const source = await this.source(job);
    const urls = urlsOf(page);
    const look = async () => {
      const pages = await source.find(urls);
      return urls.map((url) => pages.get(url)).find((one) => one !== undefined);
    };
    let found = await look();
    if (!found) {
      await source.complete();
      found = await look();
    }
    if (found) this.remember(job, [found]);
    return found;
  }

  /** Reads pages again whose reading failed. */
  retry(): void {
    for (const pages of this.loaded) pages.retry();
  }

  /** Forgets the access to the target. Keeps what was read if the target is the same. */
  disconnect(sameTarget: boolean): void {
    this.#sources.clear();
    this.#loaded.clear();
    if (sameTarget) return;
    this.#known.clear();
    this.#documents.clear();
    this.#links.clear();
  }

  async #read(path: PagePath): Promise<ReadPage> {
    const readAt = Date.now();
    if (path.kind === 'scrape') {
      const { client } = await this.#connection.access();
      const { data } = await client.getScrape({ params: { jobId: path.jobId } });
      return { document: data, readAt, found: true };
    }
    const page = await this.page(path);
    const [url = path.page] = urlsOf(path.page);
    if (!page) return { document: { metadata: { url, sourceURL: url } }, readAt, found: false };
    const source = await this.source({ kind: path.kind, id: path.jobId });
    return { document: await source.document(page), readAt, found: true };
  }

  async #create(job: JobRef): Promise<PageSource> {
    const { client, embedded } = await this.#connection.access();
    if (embedded) {
      const { ServicePages } = await import('./sources/service-pages.ts');
      return new ServicePages(job, client, embedded);
    }
    const { LoadedPages } = await import('./sources/loaded-pages.ts');
    const pages = new LoadedPages(job, client, this.#connection.rateLimit);
    this.#loaded.set(keyOf(job), pages);
    pages.onLoaded.on(() => this.onLoaded.fire(job));
    return pages;
  }
}

const noLinks: SavedLinks = new Map();

function documentKey({ kind, jobId, page }: PagePath): string {
  return kind === 'scrape' ? `${kind}/${jobId}` : `${kind}/${jobId}/${page}`;
}

function keyOf({ kind, id }: JobRef): string {
  return `${kind}/${id}`;
}

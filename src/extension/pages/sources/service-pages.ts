import * as l10n from '@vscode/l10n';
import type { Client, EmbeddedClient } from '../../../client/client.ts';
import type { JobRef } from '../../../client/job-documents.ts';
import type { LeftOutPages } from '../../../contract/crawl/left-out.ts';
import { pageLimits } from '../../../contract/crawl/page-limits.ts';
import type { JobPage } from '../../../contract/crawl/pages.ts';
import type { ScrapeDocument } from '../../../contract/scrape/scrape.ts';
import {
  documentOfFailure,
  type FolderListing,
  type ListRequest,
  type PageList,
  type PageSource,
  type SearchResults,
} from './page-source.ts';

/** The pages of a job on the embedded service, which lists and searches them itself. */
export class ServicePages implements PageSource {
  readonly job: JobRef;
  #client: Client;
  #embedded: EmbeddedClient;

  constructor(job: JobRef, client: Client, embedded: EmbeddedClient) {
    this.job = job;
    this.#client = client;
    this.#embedded = embedded;
  }

  async folder(folder: string | undefined, cursor: string | undefined, limit: number): Promise<FolderListing> {
    const query = { limit, ...(folder !== undefined && { folder }), ...(cursor !== undefined && { cursor }) };
    return await this.#embedded.listPageFolder({ params: this.#params, query });
  }

  async list({ state, cursor, limit }: ListRequest): Promise<PageList> {
    const query = { limit, ...(state && { state }), ...(cursor !== undefined && { cursor }) };
    return await this.#embedded.listPages({ params: this.#params, query });
  }

  async find(urls: readonly string[]): Promise<ReadonlyMap<string, JobPage>> {
    const pages = new Map<string, JobPage>();
    const { max, length } = pageLimits.lookedUp;
    const asked = urls.filter((url) => url.length <= length);
    for (let at = 0; at < asked.length; at += max) {
      const body = { urls: asked.slice(at, at + max) };
      const { found } = await this.#embedded.findPages({ params: this.#params, body });
      for (const { url, page } of found) pages.set(url, page);
    }
    return pages;
  }

  async document(page: JobPage): Promise<ScrapeDocument> {
    if (!page.id || page.state !== 'ok') return documentOfFailure(page);
    return (await this.#client.getScrape({ params: { jobId: page.id } })).data;
  }

  async complete(): Promise<void> {}

  async missing(): Promise<{ leftOut: readonly LeftOutPages[]; warning: string | undefined } | undefined> {
    if (this.job.kind !== 'crawl') return undefined;
    const { leftOut, warning } = await this.#client.getCrawl({ params: this.#params, query: { limit: 1 } });
    return leftOut ? { leftOut, warning: warning ?? undefined } : undefined;
  }

  get #params(): { jobId: string } {
    return { jobId: this.job.id };
  }
}

/** Searches the pages of one job, or of all, on the embedded service. */
export async function searchService(
  embedded: EmbeddedClient,
  request: {
    query: string;
    jobId: string | undefined;
    cursor: string | undefined;
    limit: number;
    onlyChanges?: boolean;
  },
  signal: AbortSignal,
): Promise<SearchResults> {
  const { query, jobId, cursor, limit, onlyChanges } = request;
  const only = onlyChanges ? 'true' : undefined;
  const found = await embedded.searchPages({ query: { query, limit, jobId, cursor, onlyChanges: only } }, { signal });
  const { pages, total } = found.indexed;
  const incomplete = pages < total;
  return {
    results: found.results,
    total: found.total,
    cursor: found.cursor ?? undefined,
    note: incomplete ? l10n.t('indexing: {0} of {1} pages so far', pages, total) : undefined,
    incomplete,
  };
}

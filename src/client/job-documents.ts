import type { JobErrors, JobState } from '../contract/crawl/crawl-jobs.ts';
import type { CallOptions } from './calls.ts';
import type { Client } from './client.ts';

/** A crawl or batch. */
export interface JobRef {
  readonly kind: 'crawl' | 'batch';
  readonly id: string;
}

/** Which documents of a job to read. */
interface ReadOptions {
  skip?: number;
  limit?: number;
  /** Leaves out pages that are the same as in the crawl that the job repeats. */
  onlyChanges?: boolean;
}

/**
 * Reads the documents of a job from `skip` to the end, a page of results at a time, on any server.
 * The next page of results is requested while the caller handles one.
 * @throws ClientError
 */
export async function* readDocuments(
  client: Client,
  job: JobRef,
  { skip = 0, limit = 100, onlyChanges, signal }: ReadOptions & { signal?: AbortSignal | undefined } = {},
): AsyncGenerator<JobState, void, undefined> {
  let read = skip;
  const query = { limit, ...(onlyChanges && { onlyChanges: 'true' }) };
  let pending: Promise<JobState> | undefined = readState(client, job, { skip: read, ...query }, { signal });
  while (pending) {
    const state: JobState = await pending;
    // Documents that are left out are skipped, too.
    read = onlyChanges ? skipOf(state.next) : read + state.data.length;
    const more = Boolean(state.next) && (onlyChanges || state.data.length > 0);
    pending = more ? readState(client, job, { skip: read, ...query }, { signal }) : undefined;
    // A caller that stops reading leaves this one behind.
    pending?.catch(() => undefined);
    yield state;
  }
}

function skipOf(next: string | null | undefined): number {
  return Number((next && URL.parse(next)?.searchParams.get('skip')) || 0);
}

/** Reads the status of a job with some of its documents. */
export async function readState(
  client: Client,
  { kind, id }: JobRef,
  query: { skip?: number; limit: number; onlyChanges?: string },
  options: CallOptions = {},
): Promise<JobState> {
  const request = { params: { jobId: id }, query };
  return kind === 'crawl' ? await client.getCrawl(request, options) : await client.getBatchScrape(request, options);
}

/** Reads the failed and blocked pages of a job. */
export async function readErrors(client: Client, { kind, id }: JobRef, signal?: AbortSignal): Promise<JobErrors> {
  const request = { params: { jobId: id } };
  const options = { signal };
  return kind === 'crawl'
    ? await client.getCrawlErrors(request, options)
    : await client.getBatchScrapeErrors(request, options);
}

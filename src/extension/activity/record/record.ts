import type { Client } from '../../../client/client.ts';
import type { JobState } from '../../../contract/crawl/crawl-jobs.ts';
import type { ScrapeDocument } from '../../../contract/scrape/scrape.ts';
import { hostOf, shortId } from '../../ui/text/text.ts';
import { documentText } from '../../ui/virtual-documents/document-text.ts';
import { safeFileName } from '../../ui/virtual-documents/file-names.ts';
import { kindOf } from '../kinds.ts';

/** Identifies the request whose record is fetched. */
export interface RecordRequest {
  endpoint: string;
  id: string;
  target?: string | undefined;
}

/** The record of a request, formatted to be shown or saved. */
export interface ActivityRecord {
  /** A safe file name without an extension. */
  name: string;
  /** The response of the retrieval endpoint, formatted. */
  json: string;
  /** The readable parts of a scrape as Markdown; undefined if it has none. */
  markdown: string | undefined;
  /** The response of a crawl or batch, which may have only its first pages; undefined for other kinds. */
  state: JobState | undefined;
}

/**
 * Fetches the record of a request from the retrieval endpoint of its kind (specification, GET /v2/team/activity).
 * Returns undefined for kinds that have none.
 * @throws ClientError
 */
export async function fetchRecord(
  client: Client,
  request: RecordRequest,
  signal: AbortSignal,
): Promise<ActivityRecord | undefined> {
  const { retrieval } = kindOf(request.endpoint);
  if (retrieval === undefined) return undefined;
  const response = await client[retrieval]({ params: { jobId: request.id } }, { signal });
  return {
    name: recordName(request),
    json: JSON.stringify(response, undefined, 2),
    markdown: retrieval === 'getScrape' ? markdownOf(response) : undefined,
    state: isJobState(response) ? response : undefined,
  };
}

/** Returns a name such as `scrape-shop.test-pricing-3f2a`: always one path segment, whatever the server sent. */
export function recordName({ endpoint, id, target }: RecordRequest): string {
  const host = hostOf(target);
  const path = host && target ? new URL(target).pathname : target;
  return safeFileName(endpoint.replaceAll('_', ' '), host, path?.slice(0, 40), shortId(id));
}

function isJobState(response: object): response is JobState {
  return 'status' in response && 'data' in response && Array.isArray(response.data);
}

function markdownOf(response: object): string | undefined {
  const data = 'data' in response ? response.data : undefined;
  if (typeof data !== 'object' || data === null) return undefined;
  return documentText(data as ScrapeDocument) || undefined;
}

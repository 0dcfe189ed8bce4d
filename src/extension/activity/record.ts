import type { Client } from '../../client/client.ts';
import { safeFileName } from '../ui/file-names.ts';
import { hostOf, shortId } from '../ui/text.ts';
import { kindOf } from './kinds.ts';

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
  /** The markdown of a scrape; undefined if it has none. */
  markdown: string | undefined;
  /** Says that the response has only some of the pages; undefined if it is complete. */
  partial: string | undefined;
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
    partial: partialNote(response),
  };
}

function partialNote(response: object): string | undefined {
  const { next, data, completed } = response as { next?: unknown; data?: unknown; completed?: unknown };
  if (!next || !Array.isArray(data)) return undefined;
  const all = typeof completed === 'number' ? ` of ${completed.toLocaleString('en-US')}` : '';
  return `This JSON has the first ${data.length}${all} pages. Use Save Pages as JSONL… for all of them.`;
}

/** Returns a name such as `scrape-shop.test-pricing-3f2a`: always one path segment, whatever the server sent. */
export function recordName({ endpoint, id, target }: RecordRequest): string {
  const host = hostOf(target);
  const path = host && target ? new URL(target).pathname : target;
  return safeFileName(kindOf(endpoint).name, host, path?.slice(0, 40), shortId(id));
}

function markdownOf(response: object): string | undefined {
  const data = 'data' in response ? response.data : undefined;
  if (typeof data !== 'object' || data === null || !('markdown' in data)) return undefined;
  return typeof data.markdown === 'string' && data.markdown !== '' ? data.markdown : undefined;
}

import type { Client } from '../../client/client.ts';
import { safeFileName } from '../ui/file-names.ts';
import { hostOf, shortId } from '../ui/text.ts';
import { kindOf } from './kinds.ts';

/** What is known of a request before its record is fetched. */
export interface RecordRequest {
  endpoint: string;
  id: string;
  target?: string | undefined;
}

/** The record of a request, ready to be shown or saved. */
export interface ActivityRecord {
  /** Without an ending; safe as a file name. */
  name: string;
  /** The answer of the retrieval endpoint, laid out. */
  json: string;
  /** The markdown of a scrape; undefined where it has none. */
  markdown: string | undefined;
}

/**
 * Asks the retrieval endpoint of a request's kind (specification, GET /v2/team/activity). Undefined for kinds that have none.
 * @throws ClientError
 */
export async function fetchRecord(
  client: Client,
  request: RecordRequest,
  signal: AbortSignal,
): Promise<ActivityRecord | undefined> {
  const { retrieval } = kindOf(request.endpoint);
  if (retrieval === undefined) return undefined;
  const answer = await client[retrieval]({ params: { jobId: request.id } }, { signal });
  return {
    name: recordName(request),
    json: JSON.stringify(answer, undefined, 2),
    markdown: retrieval === 'getScrape' ? markdownOf(answer) : undefined,
  };
}

/** `scrape-shop.test-pricing-3f2a`: one path segment, whatever the server said. */
export function recordName({ endpoint, id, target }: RecordRequest): string {
  const host = hostOf(target);
  const path = host && target ? new URL(target).pathname : target;
  return safeFileName(kindOf(endpoint).name, host, path?.slice(0, 40), shortId(id));
}

function markdownOf(answer: object): string | undefined {
  const data = 'data' in answer ? answer.data : undefined;
  if (typeof data !== 'object' || data === null || !('markdown' in data)) return undefined;
  return typeof data.markdown === 'string' && data.markdown !== '' ? data.markdown : undefined;
}

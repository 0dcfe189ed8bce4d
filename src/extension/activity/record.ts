import * as l10n from '@vscode/l10n';
import type { Client } from '../../client/client.ts';
import type { JobRef } from '../../client/job-documents.ts';
import type { JobState } from '../../contract/crawl/crawl-jobs.ts';
import type { ScrapeDocument } from '../../contract/scrape/scrape.ts';
import { count, hostOf, shortId } from '../ui/text/text.ts';
import { documentText } from '../ui/virtual-documents/document-text.ts';
import { safeFileName } from '../ui/virtual-documents/file-names.ts';
import type { ActivityEntry } from './activity-store.ts';
import { kindOf } from './requests.ts';

/** Identifies the request whose record is fetched. */
export type RecordRequest = Pick<ActivityEntry, 'endpoint' | 'id'> & Partial<Pick<ActivityEntry, 'target'>>;

/** The record of a request, formatted to be shown or saved. */
export interface ActivityRecord {
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
  { endpoint, id }: RecordRequest,
  signal: AbortSignal,
): Promise<ActivityRecord | undefined> {
  const { retrieval } = kindOf(endpoint);
  if (!id || retrieval === undefined) return undefined;
  const response = await client[retrieval]({ params: { jobId: id } }, { signal });
  return {
    json: JSON.stringify(response, undefined, 2),
    markdown: retrieval === 'getScrape' ? markdownOf(response) : undefined,
    state: isJobState(response) ? response : undefined,
  };
}

/** Returns a name such as `scrape-shop.test-pricing-3f2a`: always one path segment, whatever the server sent. */
export function recordName({ endpoint, id, target }: RecordRequest): string {
  const host = hostOf(target);
  const path = host && target ? new URL(target).pathname : target;
  return safeFileName(endpoint.replaceAll('_', ' '), host, path?.slice(0, 40), shortId(id ?? ''));
}

function isJobState(response: object): response is JobState {
  return 'status' in response && 'data' in response && Array.isArray(response.data);
}

function markdownOf(response: object): string | undefined {
  const data = 'data' in response ? response.data : undefined;
  if (typeof data !== 'object' || data === null) return undefined;
  return documentText(data as ScrapeDocument) || undefined;
}

/** Characters of JSON that an editor opens well. */
export const maxCharacters = 20_000_000;

/** How large the record of a crawl or batch would be. */
export interface RecordSize {
  /** Pages with a document. */
  pages: number;
  /** Estimated characters of the whole record. */
  characters: number;
  /** Pages that fit into a document. */
  fitting: number;
}

/** Estimates the size of a record from its first pages; undefined if these are all. */
export function sizeOf({ next, data, completed }: JobState): RecordSize | undefined {
  if (!next || data.length === 0) return undefined;
  const perPage = JSON.stringify(data, undefined, 2).length / data.length;
  const pages = Math.max(completed ?? 0, data.length + 1);
  return { pages, characters: perPage * pages, fitting: Math.max(data.length, Math.floor(maxCharacters / perPage)) };
}

/**
 * Reads the other pages of a record, as many as fit into a document, and returns its JSON.
 * If it lacks some, its first field says so.
 * @throws ClientError
 */
export async function readWhole(
  client: Client,
  job: JobRef,
  first: JobState,
  signal: AbortSignal,
  max = maxCharacters,
): Promise<string> {
  const { readDocuments } = await import('../../client/job-documents.ts');
  const data = [...first.data];
  let characters = JSON.stringify(data, undefined, 2).length;
  let last = first;
  for await (const state of readDocuments(client, job, { skip: data.length, signal })) {
    signal.throwIfAborted();
    const more = state.data.map((document) => ({ document, length: JSON.stringify(document, undefined, 2).length }));
    last = state;
    for (const { document, length } of more) {
      if (characters + length > max) return json({ ...first, data }, state.completed);
      characters += length;
      data.push(document);
    }
  }
  // Only the first pages come with what the job left out and why.
  const { next: _next, ...whole } = { ...first, ...last, ...(first.warning && { warning: first.warning }), data };
  return json(whole, data.length);
}

function json(state: JobState | Omit<JobState, 'next'>, pages: number | null | undefined): string {
  const shown = (state.data as unknown[]).length;
  const first = shown.toLocaleString('en-US');
  const note =
    typeof pages === 'number' && pages > shown
      ? l10n.t('The first {0} of {1}. Use Save Pages As… for all of them.', first, count(pages, 'page'))
      : l10n.t('The first {0} pages. Use Save Pages As… for all of them.', first);
  return JSON.stringify({ ...('next' in state && { note }), ...state }, undefined, 2);
}

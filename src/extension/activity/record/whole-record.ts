import * as l10n from '@vscode/l10n';
import type { Client } from '../../../client/client.ts';
import type { JobRef } from '../../../client/job-documents.ts';
import type { JobState } from '../../../contract/crawl/crawl-jobs.ts';
import { count } from '../../ui/text/text.ts';

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
  const { readDocuments } = await import('../../../client/job-documents.ts');
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

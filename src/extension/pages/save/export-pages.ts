import * as l10n from '@vscode/l10n';
import type { Client } from '../../../client/client.ts';
import { type JobRef, readDocuments, readErrors, readState } from '../../../client/job-documents.ts';
import type { JobErrors, JobState } from '../../../contract/crawl/crawl-jobs.ts';
import type { ScrapeDocument } from '../../../contract/scrape/scrape.ts';
import { csvOf } from '../../ui/text/csv.ts';
import { beyondLimit, leftOutText, withoutContent } from '../../ui/text/page-texts.ts';
import { documentOfFailure, failuresOf, type PageSource } from '../sources/page-source.ts';
import { PageFileNames } from './file-names.ts';
import { pageFile, urlOf } from './page-file.ts';

/** What an export reads, and how it reports progress. */
export interface ExportRequest {
  client: Client;
  job: JobRef;
  signal: AbortSignal;
  /** Called with the number of pages written so far. */
  progress(written: number): void;
}

/** What is known of a job before its pages are exported. */
export interface ExportPlan {
  /** Number of pages with a document. */
  pages: number;
  errors: JobErrors;
  /** The first documents. */
  sample: readonly ScrapeDocument[];
  /** When the job ended, or was started; ISO 8601. */
  time: string;
  /** Whether only pages that differ from the crawl that the job repeats are exported. */
  onlyChanges: boolean;
  /** How they differ, if the job repeats another crawl. */
  changes: JobState['changes'];
  /** What the export won't contain, as sentences; empty if it is complete. */
  missing: string[];
  /** What an ended job has not read, which nothing can be done about here; empty if it is complete. */
  unread: string[];
  /** Whether it ended at its limit, beyond which it knows of pages. */
  isCut: boolean;
}

export type ExportFormat = 'files' | 'jsonl' | 'csv';

/** Files that are written at the same time. */
const concurrency = 32;
const sampleSize = 20;
/** Documents per request: servers limit a response by its size, too. */
const documentsPerRead = 250;

/** Reads what an export would contain, and what it would lack. Rejects with a ClientError. */
export async function planExport(
  client: Client,
  job: JobRef,
  format: ExportFormat,
  signal: AbortSignal,
): Promise<ExportPlan> {
  const state = await readState(client, job, { skip: 0, limit: sampleSize }, { signal });
  const { changes } = state;
  const missing: string[] = [];
  const pages = state.completed ?? state.data.length;
  if (state.status === 'scraping') {
    missing.push(
      typeof state.total === 'number'
        ? l10n.t("It's still running: {0} of {1} pages are done.", pages, state.total)
        : l10n.t("It's still running: {0} pages are done.", pages),
    );
  }
  const errors = await readErrors(client, job, signal).catch(() => {
    missing.push(l10n.t("The server didn't list the pages that failed."));
    return { errors: [], robotsBlocked: [] } satisfies JobErrors;
  });
  if (format === 'files') {
    const left = failuresOf(errors).length;
    if (left > 0) missing.push(withoutContent(left));
    const withoutMarkdown = state.data.filter(({ markdown }) => typeof markdown !== 'string').length;
    if (withoutMarkdown > 0) {
      missing.push(
        l10n.t('Pages without Markdown are left out ({0} of the first {1}).', withoutMarkdown, state.data.length),
      );
    }
  }
  const time = state.completedAt ?? state.createdAt ?? new Date().toISOString();
  const beyond = beyondLimit(state.leftOut);
  const unread = [
    ...(state.status === 'cancelled' ? [l10n.t('The job was canceled.')] : []),
    ...(state.status === 'failed' ? [l10n.t('The job failed.')] : []),
    ...(beyond ? [l10n.t('Left out: {0}.', leftOutText(beyond))] : []),
  ];
  const isCut = beyond !== undefined && state.status === 'completed';
  return { pages, errors, sample: state.data, time, onlyChanges: false, changes, missing, unread, isCut };
}

/** Returns the plan of an export of only the pages that are new, changed or removed. */
export function onlyChangesOf(plan: ExportPlan): ExportPlan {
  const { changes } = plan;
  const pages = changes ? changes.new + changes.changed + changes.removed : 0;
  return { ...plan, pages, errors: { errors: [], robotsBlocked: [] }, onlyChanges: true };
}

/**
 * Writes each page with markdown as a file. Returns the number of files, and of pages without markdown.
 * Rejects when the server sends fewer pages than it reports.
 */
export async function exportFiles(
  request: ExportRequest & { plan: ExportPlan; source: PageSource },
  write: (file: string, text: string) => Promise<void>,
): Promise<{ files: number; withoutMarkdown: number }> {
  const { plan, source, signal, progress } = request;
  const names = new PageFileNames(await urlsOf(source, signal));
  let files = 0;
  let withoutMarkdown = 0;
  const read = await eachDocuments(request, async (documents) => {
    const queue = [...documents];
    const writeNext = async () => {
      for (let document = queue.shift(); document; document = queue.shift()) {
        signal.throwIfAborted();
        const file = names.of(urlOf(document)) ?? new PageFileNames([urlOf(document)]).of(urlOf(document));
        if (typeof document.markdown !== 'string' || file === undefined) withoutMarkdown++;
        else {
          await write(file, pageFile(document, file, names, plan.time));
          files++;
        }
      }
    };
    await Promise.all(Array.from({ length: concurrency }, writeNext));
    progress(files + withoutMarkdown);
  });
  checkComplete(read, plan);
  return { files, withoutMarkdown };
}

/** Writes all pages as JSON Lines, or as CSV with the given fields; failed and blocked pages follow at the end. */
export async function exportText(
  request: ExportRequest & { plan: ExportPlan; fields?: readonly string[] },
  write: (text: string) => Promise<void>,
): Promise<{ pages: number; failures: number }> {
  const { plan, fields, progress } = request;
  const line = (document: ScrapeDocument) =>
    fields ? csvOf([csvValues(document, fields)]) : `${JSON.stringify(document)}\n`;
  // The byte order mark tells spreadsheets that the file is UTF-8.
  if (fields) await write(`\ufeff${csvOf([fields])}`);
  let pages = 0;
  const read = await eachDocuments(request, async (documents) => {
    await write(documents.map(line).join(''));
    pages += documents.length;
    progress(pages);
  });
  checkComplete(read, plan);
  const failures = failuresOf(plan.errors).map(documentOfFailure);
  await write(failures.map(line).join(''));
  return { pages, failures: failures.length };
}

async function eachDocuments(
  { client, job, plan, signal }: ExportRequest & { plan: ExportPlan },
  handle: (documents: readonly ScrapeDocument[]) => Promise<void>,
): Promise<number> {
  let read = 0;
  for await (const { data } of readDocuments(client, job, {
    limit: documentsPerRead,
    ...(plan.onlyChanges && { onlyChanges: true }),
    signal,
  })) {
    signal.throwIfAborted();
    await handle(data);
    read += data.length;
  }
  return read;
}

function checkComplete(read: number, { pages }: ExportPlan): void {
  if (read >= pages) return;
  throw new Error(l10n.t('The server sent {0} of {1} pages, so the export is incomplete. Try again.', read, pages));
}

/** Returns the URLs of all pages with a document. */
async function urlsOf(source: PageSource, signal: AbortSignal): Promise<string[]> {
  await source.complete();
  const urls: string[] = [];
  let cursor: string | undefined;
  do {
    signal.throwIfAborted();
    const list = await source.list({ state: 'ok', cursor, limit: 1_000 });
    for (const { url } of list.pages) urls.push(url);
    cursor = list.cursor ?? undefined;
  } while (cursor !== undefined);
  return urls;
}

/** Fields that later documents can have, although the first ones lack them. */
const anyFields = ['url', 'title', 'statusCode', 'error', 'warning'];
/** Fields that are selected at first. */
export const usualFields = [...anyFields, 'markdown'];

/** Returns the fields of documents that a CSV file can have, the usual ones first. */
export function fieldsOf(documents: readonly ScrapeDocument[]): string[] {
  const found = new Set(anyFields);
  for (const document of documents) {
    for (const [name, value] of Object.entries(document)) {
      if (name !== 'metadata' && value !== null && value !== undefined) found.add(name);
    }
    for (const name of Object.keys(document.metadata ?? {})) found.add(name);
  }
  return [...found];
}

/** Returns the fields of a document, in order. Metadata comes first where a name is in both. */
export function csvValues(document: ScrapeDocument, fields: readonly string[]): unknown[] {
  const metadata: Readonly<Record<string, unknown>> = document.metadata ?? {};
  const parts: Readonly<Record<string, unknown>> = document;
  return fields.map((field) => {
    if (field === 'url') return metadata.url ?? metadata.sourceURL;
    return Object.hasOwn(metadata, field) ? metadata[field] : field === 'metadata' ? undefined : parts[field];
  });
}

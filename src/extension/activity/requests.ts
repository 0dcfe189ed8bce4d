import * as l10n from '@vscode/l10n';
import type { JobRef } from '../../client/job-documents.ts';
import type { JobStateResult, ReadableJob } from '../connection/polling/job-states.ts';
import { stepWords } from '../ui/text/agent-texts.ts';
import { amount, label, progress, stateWord } from '../ui/text/text.ts';

/** A kind of request: how it is shown, and which call returns its record. */
export interface Kind {
  /** The contract's name, or `other NAME` for an unknown kind. */
  id: string;
  /** In the singular, such as `scrape`. */
  name: string;
  plural: string;
  icon: string;
  /** The call that returns its record; undefined if servers keep none. */
  retrieval?: 'getScrape' | 'getCrawl' | 'getBatchScrape' | 'getExtract';
}

/** Every kind in the activity list (specification, GET /v2/team/activity). */
export const kinds: readonly Kind[] = [
  { id: 'scrape', name: l10n.t('scrape'), plural: l10n.t('Scrapes'), icon: 'cloud-download', retrieval: 'getScrape' },
  { id: 'crawl', name: l10n.t('crawl'), plural: l10n.t('Crawls'), icon: 'globe', retrieval: 'getCrawl' },
  {
    id: 'batch_scrape',
    name: l10n.t('batch scrape'),
    plural: l10n.t('Batch scrapes'),
    icon: 'files',
    retrieval: 'getBatchScrape',
  },
  { id: 'search', name: l10n.t('search'), plural: l10n.t('Searches'), icon: 'search' },
  { id: 'extract', name: l10n.t('extract'), plural: l10n.t('Extracts'), icon: 'json', retrieval: 'getExtract' },
  { id: 'llmstxt', name: 'llms.txt', plural: l10n.t('llms.txt files'), icon: 'note' },
  { id: 'deep_research', name: l10n.t('deep research'), plural: l10n.t('Deep research'), icon: 'telescope' },
  { id: 'map', name: l10n.t('map'), plural: l10n.t('Maps'), icon: 'list-tree' },
  { id: 'agent', name: l10n.t('agent'), plural: l10n.t('Agents'), icon: 'hubot', retrieval: 'getExtract' },
  { id: 'browser', name: l10n.t('browser session'), plural: l10n.t('Browser sessions'), icon: 'browser' },
  { id: 'interact', name: l10n.t('interaction'), plural: l10n.t('Interactions'), icon: 'inspect' },
];
const byId = new Map(kinds.map((kind) => [kind.id, kind]));

/** Returns the kind of an endpoint; an unknown one is shown by its own name. */
export function kindOf(endpoint: string): Kind {
  const known = byId.get(endpoint);
  if (known) return known;
  const name = label(endpoint, 40) || l10n.t('unknown');
  return { id: `other ${name}`, name, plural: name, icon: 'question' };
}

/** Returns the crawl or batch of a request, whose pages can be listed; undefined for other requests. */
export function jobOf({ id, endpoint }: { id: string | undefined; endpoint: string }): JobRef | undefined {
  const { retrieval } = kindOf(endpoint);
  if (!id) return undefined;
  if (retrieval === 'getCrawl') return { kind: 'crawl', id };
  return retrieval === 'getBatchScrape' ? { kind: 'batch', id } : undefined;
}

/** Returns the job of a request whose status can be read; undefined for other requests. */
export function readableJobOf(request: { id: string | undefined; endpoint: string }): ReadableJob | undefined {
  const { id, endpoint } = request;
  return id && kindOf(endpoint).retrieval === 'getExtract' ? { kind: 'agent', id } : jobOf(request);
}

/** What the server says of a job in the list. */
export type JobDetails = NonNullable<ReturnType<typeof detailsOf>>;

/** Returns the details of a job; undefined if the server doesn't have it anymore. */
export function detailsOf(state: JobStateResult) {
  if (state === 'gone') return undefined;
  const { status, completed, total, error, step } = state;
  return {
    /** `scraping`, `processing`, `completed`, `failed`, `cancelled`, or any other status from the server. */
    status: status.slice(0, 100),
    completed: amount(completed),
    total: amount(total),
    /** What an agent did last. */
    ...(step && { step: stepWords(step) }),
    /** Why it failed. */
    error: error ? error.slice(0, 4_096) : undefined,
  };
}

/** Whether a job is running. */
export function runs(details: JobDetails | undefined): boolean {
  return details?.status === 'scraping' || details?.status === 'processing';
}

/** Returns the progress of a running job, the pages of a completed one, or how it ended: `312/900`, `312 pages`, `failed`. */
export function jobWords({ status, completed, total, step }: JobDetails): string {
  if (status === 'processing') return step ?? l10n.t('running');
  if (status === 'scraping') return progress(completed, total) ?? l10n.t('running');
  const pages = completed === undefined ? undefined : progress(completed, undefined);
  if (status === 'completed') return pages ?? stateWord(status);
  return [stateWord(status), completed ? pages : undefined].filter(Boolean).join(', ');
}

/** Returns why a job failed, on one line; undefined if it didn't. */
export function failureOf(details: JobDetails | undefined): string | undefined {
  if (details?.status !== 'failed') return undefined;
  return label(details.error ?? '', 300) || l10n.t("The server didn't say why it failed.");
}

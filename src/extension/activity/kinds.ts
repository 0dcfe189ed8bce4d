import * as l10n from '@vscode/l10n';
import type { JobRef } from '../../client/job-documents.ts';
import type { ReadableJob } from '../connection/polling/job-states.ts';
import { label } from '../ui/text/text.ts';

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

import * as l10n from '@vscode/l10n';
import { limits } from '../../contract/limits.ts';
import type { MissingPart, ScrapeBody, ScrapeDocument } from '../../contract/scrape/scrape.ts';
import { commands } from './ids.ts';

/** The argument of "Scrape URL…" that scrapes a page with actions. */
export interface ScrapeAgain {
  url: string;
  actions: NonNullable<ScrapeBody['actions']>;
}

export function isScrapeAgain(argument: unknown): argument is ScrapeAgain {
  return typeof argument === 'object' && argument !== null && 'url' in argument && 'actions' in argument;
}

/** Returns the command that loads more of a page; undefined if the page names no actions for that. */
export function scrapeAgain(url: string, { missing }: Pick<ScrapeDocument, 'missing'>) {
  const part = missing?.find(isLoadable);
  if (!part) return undefined;
  const again: ScrapeAgain = { url, actions: part.actions as ScrapeAgain['actions'] };
  return { title: l10n.t('Load More and Scrape Again'), command: commands.scrapeUrl, arguments: [again] };
}

/** Returns what a page lacks, with advice except where the button does what that says. */
export function warningBesideButton({ missing, warning }: Pick<ScrapeDocument, 'missing' | 'warning'>): string {
  const loaded = missing?.find(isLoadable);
  if (!missing || !loaded) return warning ?? '';
  return missing
    .flatMap((part) => [part.what, part !== loaded && part.advice])
    .filter(Boolean)
    .join(' ');
}

/** Milliseconds that each action may take: a page is scrolled for half of them. */
const msPerAction = 120_000;

/** Returns the timeout of a scrape with such actions, in milliseconds. */
export function timeoutOf(actions: ScrapeAgain['actions']): number {
  return Math.min(actions.length * msPerAction, limits.scrapeTimeout.max);
}

const loading: ReadonlySet<string> = new Set(['click', 'scroll', 'scrape', 'wait']);

/** Whether actions load what is missing. The server checks the rest of them. */
function isLoadable({ actions }: MissingPart): boolean {
  return actions != null && actions.length > 0 && actions.every(({ type }) => loading.has(type ?? ''));
}

import * as l10n from '@vscode/l10n';
import { limits } from '../../contract/limits.ts';
import type { MissingPart, ScrapeBody, ScrapeDocument } from '../../contract/scrape/scrape.ts';
import { commands } from './ids.ts';

/** The argument of "Scrape URL…" that scrapes a page with actions, or all of a page. */
export type ScrapeAgain = { url: string } & (
  | { actions: NonNullable<ScrapeBody['actions']>; onlyMainContent?: undefined }
  | { actions?: undefined; onlyMainContent: false }
);

export function isScrapeAgain(argument: unknown): argument is ScrapeAgain {
  if (typeof argument !== 'object' || argument === null || !('url' in argument)) return false;
  return 'actions' in argument || 'onlyMainContent' in argument;
}

/** Returns the commands that get more of a page: what buttons or scrolling load, and what its main content leaves out. */
export function waysToMore(url: string, document: Pick<ScrapeDocument, 'missing' | 'leftOut'>) {
  return [scrapeAgain(url, document), scrapeWhole(url, document)].filter((way) => way !== undefined);
}

/** Returns the command that loads more of a page; undefined if the page names no actions for that. */
function scrapeAgain(url: string, { missing }: Pick<ScrapeDocument, 'missing'>) {
  const part = missing?.find(isLoadable);
  if (!part) return undefined;
  const again: ScrapeAgain = { url, actions: part.actions as NonNullable<ScrapeAgain['actions']> };
  return { title: l10n.t('Load More and Scrape Again'), command: commands.scrapeUrl, arguments: [again] };
}

/** Returns the command that scrapes all of a page; undefined if its main content leaves nothing out. */
function scrapeWhole(url: string, { leftOut }: Pick<ScrapeDocument, 'leftOut'>) {
  if (!leftOut) return undefined;
  const again: ScrapeAgain = { url, onlyMainContent: false };
  return { title: l10n.t('Scrape Whole Page'), command: commands.scrapeUrl, arguments: [again] };
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
export function timeoutOf(actions: NonNullable<ScrapeAgain['actions']>): number {
  return Math.min(actions.length * msPerAction, limits.scrapeTimeout.max);
}

const loading: ReadonlySet<string> = new Set(['click', 'scroll', 'scrape', 'wait']);

/** Whether actions load what is missing. The server checks the rest of them. */
function isLoadable({ actions }: MissingPart): boolean {
  return actions != null && actions.length > 0 && actions.every(({ type }) => loading.has(type ?? ''));
}

import * as l10n from '@vscode/l10n';
import { textsIn } from '../../contract/lenient-texts.ts';
import { limits } from '../../contract/limits.ts';
import type { ScrapeBody, ScrapeDocument } from '../../contract/scrape/scrape.ts';
import { commands } from './ids.ts';

/** The argument of "Scrape URL…" that scrapes a page with actions. */
export interface ScrapeAgain {
  url: string;
  actions: NonNullable<ScrapeBody['actions']>;
}

export function isScrapeAgain(argument: unknown): argument is ScrapeAgain {
  return typeof argument === 'object' && argument !== null && 'url' in argument && 'actions' in argument;
}

/** Returns the command that loads more of a page; undefined if its metadata names no actions for that. */
export function scrapeAgain(url: string, metadata: ScrapeDocument['metadata']) {
  const actions = moreActionsOf(metadata);
  if (actions === undefined) return undefined;
  const again: ScrapeAgain = { url, actions };
  return { title: l10n.t('Load More and Scrape Again'), command: commands.scrapeUrl, arguments: [again] };
}

/** Returns a warning without the sentences that advise actions: beside it is the button that runs them. */
export function withoutAdvice(warning: string, advice: unknown): string {
  return textsIn(advice).reduce((text, sentence) => text.replace(` ${sentence}`, ''), warning);
}

/** Milliseconds that each action may take: a page is scrolled for half of them. */
const msPerAction = 120_000;

/** Returns the timeout of a scrape with such actions, in milliseconds. */
export function timeoutOf(actions: ScrapeAgain['actions']): number {
  return Math.min(actions.length * msPerAction, limits.scrapeTimeout.max);
}

const loading: ReadonlySet<unknown> = new Set(['click', 'scroll', 'scrape', 'wait']);

/** Returns the actions that load more of a page, if there are such. */
function moreActionsOf(metadata: ScrapeDocument['metadata']): ScrapeAgain['actions'] | undefined {
  // A page can have metadata of any name on other servers. The server checks the rest.
  const actions: unknown = metadata?.moreActions;
  if (!Array.isArray(actions) || actions.length === 0) return undefined;
  return actions.every((action) => loading.has(action?.type)) ? actions : undefined;
}

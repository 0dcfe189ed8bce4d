import * as l10n from '@vscode/l10n';
import type { ScrapeBody } from '../../contract/scrape/scrape.ts';
import { commands } from './ids.ts';

/** The argument of "Scrape URL…" that scrapes a page with actions. */
export interface ScrapeAgain {
  url: string;
  actions: NonNullable<ScrapeBody['actions']>;
}

export function isScrapeAgain(argument: unknown): argument is ScrapeAgain {
  return typeof argument === 'object' && argument !== null && 'url' in argument && 'actions' in argument;
}

/** Returns the command that does what the warning of a page advises, to load more of it; undefined if it advises no actions. */
export function scrapeAgain(url: string, warning: string | null | undefined) {
  const actions = advisedActions(warning ?? '');
  if (actions === undefined) return undefined;
  const again: ScrapeAgain = { url, actions };
  return { title: l10n.t('Load More and Scrape Again'), command: commands.scrapeUrl, arguments: [again] };
}

const advised: ReadonlySet<unknown> = new Set(['click', 'scroll', 'scrape']);

/** Returns the actions that a warning gives in full. */
function advisedActions(warning: string): ScrapeAgain['actions'] | undefined {
  for (const [, text = ''] of warning.matchAll(/\bset actions: (\[.*?\])\./g)) {
    try {
      const actions = JSON.parse(text) as ({ type?: unknown } | null)[];
      // A warning quotes its page, so nothing else is done. The server checks the rest.
      if (actions.every((each) => advised.has(each?.type))) return actions as ScrapeAgain['actions'];
    } catch {
      // Only their beginning.
    }
  }
  return undefined;
}

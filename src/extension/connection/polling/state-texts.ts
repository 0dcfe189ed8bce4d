import * as l10n from '@vscode/l10n';
import { timeOfDay } from '../../ui/text/dates.ts';
import { ago, label } from '../../ui/text/text.ts';
import type { ServerState } from './server-state.ts';

/** Returns the message above rows that are out of date; undefined if they are current, or if the welcome text shows it. */
export function staleMessage(
  state: ServerState,
  look: { rows: number; updatedAt: number | undefined; now: number },
): string | undefined {
  if (look.rows === 0) return undefined;
  const age = look.updatedAt === undefined ? '' : ` ${l10n.t('Updated {0}.', ago(look.now - look.updatedAt))}`;
  if (state.kind === 'limited') {
    const why = l10n.t('The server is rate limiting requests. Retrying at {0}.', timeOfDay(state.until, true));
    return `${why}${age}`;
  }
  if (state.kind === 'unreachable' || state.kind === 'signed-out' || state.kind === 'not-offered')
    return `${label(state.message, 300)}${age}`;
  return undefined;
}

/** Returns the description beside the name of a view that is waiting for a rate limit. */
export function limitWords(state: ServerState): string | undefined {
  return state.kind === 'limited' ? l10n.t('limited until {0}', timeOfDay(state.until, true)) : undefined;
}

import { ago, label, timeOfDay } from '../../ui/text.ts';
import type { ServerState } from './server-state.ts';

/** What stands above rows that are not fresh; undefined when they are, or when the view's welcome text says it. */
export function staleMessage(
  state: ServerState,
  look: { rows: number; updatedAt: number | undefined; now: number },
): string | undefined {
  if (look.rows === 0) return undefined;
  const age = look.updatedAt === undefined ? '' : ` Updated ${ago(look.now - look.updatedAt)}.`;
  if (state.kind === 'limited') return `Too many requests. Reading goes on at ${timeOfDay(state.until, true)}.${age}`;
  if (state.kind === 'unreachable' || state.kind === 'signed-out' || state.kind === 'not-offered')
    return `${label(state.message, 300)}${age}`;
  return undefined;
}

/** What stands beside the name of a view that may read again only later. */
export function limitWords(state: ServerState): string | undefined {
  return state.kind === 'limited' ? `limited until ${timeOfDay(state.until, true)}` : undefined;
}

import type * as z from 'zod';
import type { ConsoleLine, consoleQuery, NetworkEntry, networkQuery } from '../../../contract/sessions/traffic.ts';
import { createTurn } from '../../platform/async.ts';
import type { ConsoleRecord } from './console.ts';
import type { NetworkRecord } from './requests.ts';
import { shownLine, shownRequest } from './shown.ts';

/** Returns the lines of a console that a query asks for, oldest first. */
export async function listConsole(
  { entries }: Pick<ConsoleRecord, 'entries'>,
  query: z.output<typeof consoleQuery>,
): Promise<ConsoleLine[]> {
  const { level, text, since = 0 } = query;
  const listed: ConsoleLine[] = [];
  const turn = createTurn();
  for (const entry of entries.list()) {
    if (entry.version <= since || (level !== undefined && entry.level !== level)) continue;
    const shown = await shownLine(entry, turn);
    if (contains(`${shown.text}\n${shown.url ?? ''}`, text)) listed.push(shown);
    if (turn.isOver) await turn.end();
  }
  return listed;
}

/** Returns the requests that a query asks for, oldest first. */
export async function listRequests(
  { entries }: Pick<NetworkRecord, 'entries'>,
  query: z.output<typeof networkQuery>,
): Promise<NetworkEntry[]> {
  const { type, failed, text, since = 0 } = query;
  const listed: NetworkEntry[] = [];
  const turn = createTurn();
  for (const entry of entries.list()) {
    const { version, state, status = 0 } = entry;
    if (version <= since || (type !== undefined && entry.type !== type.toLowerCase())) continue;
    if (failed && state !== 'failed' && status < 400) continue;
    const shown = await shownRequest(entry, turn);
    if (contains(shown.url, text)) listed.push(shown);
  }
  return listed;
}

function contains(where: string, text: string | undefined): boolean {
  return text === undefined || where.toLowerCase().includes(text.toLowerCase());
}

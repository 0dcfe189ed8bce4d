import type * as z from 'zod';
import type { ConsoleLine, consoleQuery, NetworkEntry, networkQuery } from '../../../contract/sessions/traffic.ts';
import type { ConsoleRecord } from './console.ts';
import type { NetworkRecord } from './requests.ts';
import { shownLine, shownRequest } from './shown.ts';

/** Returns the lines of a console that a query asks for, oldest first. */
export function listConsole({ entries }: ConsoleRecord, query: z.output<typeof consoleQuery>): ConsoleLine[] {
  const { level, text, since = 0 } = query;
  return entries
    .list()
    .filter((entry) => entry.version > since && (level === undefined || entry.level === level))
    .map(shownLine)
    .filter((line) => contains(`${line.text}\n${line.url ?? ''}`, text));
}

/** Returns the requests that a query asks for, oldest first. */
export function listRequests({ entries }: NetworkRecord, query: z.output<typeof networkQuery>): NetworkEntry[] {
  const { type, failed, text, since = 0 } = query;
  return entries
    .list()
    .filter((entry) => entry.version > since && (type === undefined || entry.type === type.toLowerCase()))
    .filter(({ state, status = 0 }) => !failed || state === 'failed' || status >= 400)
    .map((entry) => shownRequest(entry))
    .filter(({ url }) => contains(url, text));
}

function contains(where: string, text: string | undefined): boolean {
  return text === undefined || where.toLowerCase().includes(text.toLowerCase());
}

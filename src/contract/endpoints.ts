import type * as z from 'zod';
import { agentEndpoints } from './agent-jobs.ts';
import { docsSearchEndpoints } from './docs-search/docs-search.ts';
import { crawlEndpoints } from './endpoints/crawl-endpoints.ts';
import type { Endpoint } from './endpoints/endpoint.ts';
import { scrapeEndpoints } from './endpoints/scrape-endpoints.ts';
import { sessionEndpoints } from './endpoints/session-endpoints.ts';
import { limits } from './limits.ts';
import { monitorEndpoints } from './monitors.ts';
import type { UploadedFile } from './scrape/parse.ts';
import { searchEndpoints } from './search.ts';
import { teamEndpoints } from './team/team.ts';

export type { Endpoint };

/** All endpoints of the web data API. */
export const endpoints = {
  ...sessionEndpoints,
  ...scrapeEndpoints,
  ...crawlEndpoints,
  ...searchEndpoints,
  ...monitorEndpoints,
  ...agentEndpoints,
  ...teamEndpoints,
  ...docsSearchEndpoints,
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof endpoints;

type Part<Entry, Key extends 'params' | 'query' | 'body', Side extends 'input' | 'output'> = Entry extends {
  [K in Key]: infer Schema extends z.ZodType;
}
  ? Side extends 'input'
    ? { [K in Key]: z.input<Schema> }
    : { [K in Key]: z.output<Schema> }
  : unknown;

/** The file of a multipart request, only where the endpoint takes one. */
type FilePart<Entry> = Entry extends { takesFile: true } ? { file?: UploadedFile } : unknown;

/** What a caller passes: path parameters, query and body, each only where the endpoint has it. */
export type RequestOf<Entry extends Endpoint> = Part<Entry, 'params', 'input'> &
  Partial<Part<Entry, 'query', 'input'>> &
  Part<Entry, 'body', 'input'> &
  FilePart<Entry>;
/** What a route receives: the same, validated and with defaults. */
export type CheckedRequestOf<Entry extends Endpoint> = Part<Entry, 'params', 'output'> &
  Part<Entry, 'query', 'output'> &
  Part<Entry, 'body', 'output'> &
  FilePart<Entry>;
export type ResponseOf<Entry extends Endpoint> = z.output<Entry['response']>;

/** Maximum number of steps of a prompt; servers apply `timeout` to each step. */
const promptSteps = 25;
const longestWaitMs = 30 * 60_000;

/**
 * Returns how long a caller should wait for the response, in milliseconds: the server's own limit plus a margin for the
 * network. A run may first wait for another run of its session, which its timeout does not include. The default timeout
 * of other servers is not known, so a run without one gets the maximum.
 */
export function responseLimitMs(entry: Endpoint, body?: unknown): number {
  const marginMs = 15_000;
  if (entry.respondsWithin !== 'run timeout') return (entry.respondsWithin ?? 60) * 1000 + marginMs;
  const { timeout = limits.runTimeout.max, prompt } = (body ?? {}) as { timeout?: number; prompt?: unknown };
  const runMs = timeout * 1000 * (prompt === undefined ? 1 : promptSteps);
  return Math.min(runMs + limits.runTimeout.max * 1000 + 30_000, longestWaitMs) + marginMs;
}

import * as z from 'zod';
import { dateTime, ownResponse, queryFlag, queryNumber, responseBody } from '../fields.ts';
import { sessionParams } from './sessions.ts';

const text = z.string().max(200).optional();
const since = queryNumber({ min: 0, max: Number.MAX_SAFE_INTEGER })
  .optional()
  .describe('Only entries that are new or have changed since the response with this `cursor`');
const recorded = {
  recordedSince: dateTime
    .nullish()
    .describe('When recording began: when the session was first viewed, or when an agent opened it'),
  cursor: z.number().describe('Send it as `since` to get what is new or has changed'),
  dropped: z.number().describe('How many older entries are no longer kept'),
};

export const consoleLevels = ['error', 'warning', 'info', 'log', 'debug'] as const;

export const consoleQuery = z.object({
  level: z.enum(consoleLevels).optional().describe('Only entries of this level'),
  text: text.describe('Only entries whose text or URL contains this'),
  since,
});

/** A line of the console of a session's pages. */
export const consoleEntry = responseBody({
  id: z.string(),
  level: z.string().describe(`One of ${consoleLevels.join(', ')}`),
  source: z.string().describe('console: a script logged it; exception; browser'),
  at: dateTime,
  text: z.string().describe('At most 10,000 characters'),
  url: z.string().nullish().describe('URL of the script'),
  line: z.number().nullish().describe('Line of the script, from 1'),
  column: z.number().nullish(),
});
export type ConsoleLine = z.output<typeof consoleEntry>;

export const consoleList = ownResponse({ entries: z.array(consoleEntry), ...recorded });

export const networkQuery = z.object({
  type: z
    .string()
    .max(40)
    .optional()
    .describe('Only requests of this type: document, script, stylesheet, image, xhr, fetch and so on'),
  failed: queryFlag.optional().describe('Only requests that failed or have a status of 400 or higher'),
  text: text.describe('Only requests whose URL contains this'),
  since,
});

const request = {
  id: z.string(),
  method: z.string(),
  url: z.string(),
  type: z.string().describe('What it is for: document, script, xhr, fetch, image and so on'),
  page: z.string().describe('URL of the document that sent it'),
  state: z.string().describe('pending, finished or failed'),
  startedAt: dateTime,
  durationMs: z.number().nullish(),
  status: z.number().nullish(),
  mimeType: z.string().nullish(),
  bytes: z.number().describe('Length of the decoded body'),
  transferredBytes: z.number(),
  fromCache: z.boolean().nullish(),
  error: z.string().nullish().describe('Why it failed'),
};

/** A request of a session's pages. */
export const networkEntry = responseBody(request);
export type NetworkEntry = z.output<typeof networkEntry>;

export const networkList = ownResponse({ requests: z.array(networkEntry), ...recorded });

export const networkParams = sessionParams.extend({
  requestId: z.string().min(1).max(40).describe('ID of the request in the list'),
});

export const secretsQuery = z.object({
  secrets: queryFlag
    .optional()
    .describe('Whether to include cookies, authorization, passwords and tokens, which are masked otherwise'),
});

const headers = z.array(z.looseObject({ name: z.string(), value: z.string() }));

/** A request with all that is known of it. */
export const networkExchange = ownResponse({
  ...request,
  statusText: z.string().nullish(),
  protocol: z.string().nullish(),
  remoteAddress: z.string().nullish(),
  initiator: z.looseObject({ url: z.string(), line: z.number() }).nullish(),
  requestHeaders: headers,
  requestBody: z.string().nullish().describe('At most 64 KB'),
  responseHeaders: headers,
  responseBody: z
    .looseObject({ text: z.string(), base64: z.boolean() })
    .nullish()
    .describe('Missing if it is over 5 MB, or no longer kept'),
  timing: z
    .looseObject({ dns: z.number(), connect: z.number(), tls: z.number(), wait: z.number(), receive: z.number() })
    .nullish()
    .describe('Milliseconds of each phase; -1 where there was none'),
});
export type NetworkExchange = z.output<typeof networkExchange>;

/** An HTTP archive: https://w3c.github.io/web-performance/specs/HAR/Overview.html. */
export const httpArchive = responseBody({
  log: z.looseObject({ version: z.string(), entries: z.array(z.looseObject({})) }),
});
export type HttpArchive = z.output<typeof httpArchive>;

import * as z from 'zod';
import { apiResponse, characters, dateTime, requestBody, responseBody, wholeNumber } from '../fields.ts';
import { limits } from '../limits.ts';

/** Persistent storage of a session (specification, "Browser session"). */
export const profile = z.strictObject({
  name: characters(limits.profileName).describe('Sessions of the same name share persistent storage'),
  saveChanges: z.boolean().default(true).describe('Save the browser state to the profile on close'),
});

/** Body of POST /v2/browser. */
export const createSessionBody = requestBody({
  ttl: wholeNumber(limits.ttl, 'seconds').default(limits.ttl.default).describe('Total lifetime in seconds'),
  activityTtl: wholeNumber(limits.activityTtl, 'seconds')
    .default(limits.activityTtl.default)
    .describe('Seconds of inactivity before the session is destroyed'),
  streamWebView: z.boolean().default(true).describe('Whether a live view of the browser is streamed'),
  profile: profile.optional().describe('Persistent storage'),
  headed: z
    .boolean()
    .optional()
    .describe("Whether the browser's window is shown on the machine of the embedded service"),
});

/** Where a session is watched and driven. */
export const urls = {
  cdpUrl: z.string().nullish().describe('WebSocket URL for Chrome DevTools Protocol connections'),
  liveViewUrl: z.string().nullish().describe('URL to watch the session in real time, read-only'),
  interactiveLiveViewUrl: z.string().nullish().describe('URL to click, type and scroll in the session'),
};

/** Response of POST /v2/browser. */
export const createdSession = responseBody({
  success: z.boolean().optional().describe('True when the session was created'),
  id: z.string().describe('Identifier of the session'),
  ...urls,
  expiresAt: dateTime.nullish().describe('When the session expires'),
});

export const sessionStatuses = ['active', 'destroyed', 'error'] as const;

/** One session of GET /v2/browser. Servers differ in what they list: all but the id may be missing. */
export const listedSession = responseBody({
  id: z.string().describe('Identifier of the session'),
  status: z
    .string()
    .nullish()
    .describe(`One of ${sessionStatuses.join(', ')}; other values are shown as they are`),
  ...urls,
  streamWebView: z.boolean().nullish().describe('Whether the session has a live view'),
  createdAt: z.string().nullish().describe('When the session was created'),
  lastActivity: z.string().nullish().describe('When the session was last used'),
  expiresAt: z.string().nullish().describe('When the session expires'),
  ttl: z.number().nullish().describe('Total lifetime in seconds'),
  activityTtl: z.number().nullish().describe('Seconds of inactivity before the session is destroyed'),
  renewed: z.boolean().nullish().describe('Whether a window of the editor keeps the session open'),
  profile: z
    .looseObject({ name: z.string(), saveChanges: z.boolean().nullish() })
    .nullish()
    .describe('The profile that the session uses'),
  agent: z.string().nullish().describe('Name of the coding agent that opened the session, as it calls itself'),
  downloads: z.string().nullish().describe("Folder of the session's downloads, on the service's machine"),
  endedAt: z.string().nullish().describe('When the session ended'),
  endReason: z.string().nullish().describe('Why the session ended'),
  page: z
    .looseObject({ url: z.string().nullish(), title: z.string().nullish() })
    .nullish()
    .describe('The last known page of the session'),
});

export const listSessionsQuery = z.object({
  status: z
    .enum(sessionStatuses, { error: `expected one of ${sessionStatuses.join(', ')}` })
    .optional()
    .describe('Only sessions with this status'),
});
export const sessionList = apiResponse({ sessions: z.array(listedSession) });

const sessionId = characters(limits.sessionId);
export const sessionParams = z.object({ sessionId: sessionId.describe('The session') });
export const deleteSessionBody = requestBody({ id: sessionId.describe('The session to destroy') });

/** Response of DELETE /v2/browser/{sessionId}. */
export const deletedSession = apiResponse({
  sessionDurationMs: z.number().nullish().describe('Total duration of the session in milliseconds'),
  creditsBilled: z.number().nullish().describe('Credits billed for the session'),
});

export type CreateSessionBody = z.output<typeof createSessionBody>;
export type Profile = z.output<typeof profile>;
export type CreatedSession = z.output<typeof createdSession>;
export type ListedSession = z.output<typeof listedSession>;
export type DeletedSession = z.output<typeof deletedSession>;

import * as z from 'zod';
import { docsSourceEndpoints } from './docs-sources.ts';
import type { Endpoint } from './endpoints.ts';
import { language } from './execution.ts';
import { dateTime, requestBody, responseBody, wholeNumber } from './fields.ts';
import { limits } from './limits.ts';
import { sessionParams } from './sessions.ts';
import { webhookSecretProblem } from './webhooks.ts';

/** Seconds of inactivity that a window may set when it renews a session. */
const renewedActivityTtl = { min: limits.activityTtl.min, max: 24 * 60 * 60 };

/**
 * What only the embedded service offers: never called on other servers.
 * A window finds the service by its discovery file, makes it prove itself, and holds a link (a WebSocket) to it.
 */
export const embeddedEndpoints = {
  prove: {
    method: 'GET',
    path: '/embedded/proof',
    summary: 'Prove that this is the service that wrote the discovery file: an HMAC of the nonce under its secret',
    section: 'embedded',
    query: z.object({
      nonce: z.string().regex(/^[0-9a-f]{64}$/, { error: 'expected 32 random bytes as lower-case hex' }),
    }),
    response: responseBody({ proof: z.string() }),
    errors: {},
  },
  resetRepl: {
    method: 'POST',
    path: '/embedded/browser/:sessionId/reset',
    summary: 'Give a session a fresh REPL; the browser and its pages stay',
    section: 'embedded',
    params: sessionParams,
    body: requestBody({ language: language.default('node') }),
    response: responseBody({ success: z.boolean() }),
    errors: { 403: 'The session belongs to another team', 404: 'No such session', 410: 'The session was destroyed' },
  },
  renewSession: {
    method: 'POST',
    path: '/embedded/browser/:sessionId/renew',
    summary:
      'Keep a session open: it now expires `ttl` seconds from now, and after `activityTtl` seconds of inactivity',
    section: 'embedded',
    params: sessionParams,
    body: requestBody({
      ttl: wholeNumber(limits.ttl, 'seconds'),
      activityTtl: wholeNumber(renewedActivityTtl, 'seconds').optional(),
      /** The session is extended once: its end is still a deadline, not one that a window keeps moving. */
      once: z.boolean().default(false),
    }),
    response: responseBody({ success: z.boolean(), expiresAt: dateTime, activityTtl: z.number() }),
    errors: {
      402: 'The remaining credits do not cover the session for that long',
      403: 'The session belongs to another team',
      404: 'No such session',
      410: 'The session was destroyed',
    },
  },
  listProfiles: {
    method: 'GET',
    path: '/embedded/profiles',
    summary: 'List the saved profiles of the team, newest first',
    section: 'embedded',
    response: responseBody({
      success: z.boolean(),
      profiles: z.array(responseBody({ name: z.string(), savedAt: dateTime, inUse: z.boolean() })),
    }),
    errors: {},
  },
  ...docsSourceEndpoints,
} as const satisfies Record<string, Endpoint>;
export type EmbeddedEndpointName = keyof typeof embeddedEndpoints;

export const linkPath = '/embedded/link';
/** A caller that wants to follow its run names it with this header (a UUID of its own) on execute and interact. */
export const runIdHeader = 'x-webdata-run';
/** Name of the discovery file in the data dir. */
export const discoveryFileName = 'service.json';
/** Environment variable with `KEY:TEAM,…`, the keys of an embedded service. */
export const apiKeysVariable = 'WEBDATA_API_KEYS';

/** Where a running service is found, and what it must prove to know. The file is readable by its owner alone. */
export const discoveryFile = z.object({
  port: z.int().min(1).max(65535),
  pid: z.int().min(2),
  /** Secret that proofs are made with; never sent. */
  secret: z.string().min(32),
  apiKey: z.string().nullable(),
  version: z.string(),
});
export type DiscoveryFile = z.output<typeof discoveryFile>;

/** The text whose HMAC-SHA256 under the discovery file's secret proves a service: bound to the port that was asked. */
export function proofMessage(nonce: string, port: number): string {
  return `web-data-service\n${port}\n${nonce}`;
}

/** The line on standard output when the service listens. */
export const listeningLine = z.object({
  event: z.literal('listening'),
  baseUrl: z.string(),
  apiKey: z.string().nullable(),
  pid: z.int(),
});

export const streams = ['stdout', 'stderr'] as const;

/** What happens in a run, as it happens. */
export const runEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('queued'), runId: z.string(), sessionId: z.string() }),
  z.object({ kind: z.literal('started'), runId: z.string(), sessionId: z.string() }),
  z.object({
    kind: z.literal('output'),
    runId: z.string(),
    sessionId: z.string(),
    stream: z.enum(streams),
    text: z.string(),
  }),
  z.object({ kind: z.literal('notice'), runId: z.string(), sessionId: z.string(), text: z.string() }),
  z.object({ kind: z.literal('finished'), runId: z.string(), sessionId: z.string() }),
]);
export type RunEvent = z.output<typeof runEvent>;

/** One message of a conversation with a language model, as it goes over the link. */
export const chatMessage = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: z.string() }),
  z.object({ role: z.literal('user'), content: z.string() }),
  z.object({
    role: z.literal('assistant'),
    content: z.string(),
    toolCalls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })).optional(),
  }),
  z.object({ role: z.literal('tool'), toolCallId: z.string(), content: z.string() }),
]);
export type WireChatMessage = z.output<typeof chatMessage>;

/** What the service tells a window over its link. */
export const fromService = z.discriminatedUnion('type', [
  z.object({ type: z.literal('welcome'), version: z.string(), pid: z.int() }),
  z.object({ type: z.literal('run'), event: runEvent }),
  /** The list of sessions is no longer what it was. */
  z.object({ type: z.literal('sessions-changed'), sessionId: z.string(), reason: z.string() }),
  /** Asks a language model of the window's VS Code; the answer names the same id. */
  z.object({
    type: z.literal('model-request'),
    id: z.string(),
    messages: z.array(chatMessage),
    tools: z.array(
      z.object({ name: z.string(), description: z.string(), parameters: z.record(z.string(), z.unknown()) }),
    ),
  }),
  /** Nobody waits for this answer any more. */
  z.object({ type: z.literal('model-cancel'), id: z.string() }),
  /** The service ends by itself; the reason is for the person. */
  z.object({ type: z.literal('goodbye'), reason: z.string() }),
]);
export type FromService = z.output<typeof fromService>;

const outsideAuthority = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;

/** What a window tells the service over its link. */
export const fromWindow = z.discriminatedUnion('type', [
  z.object({ type: z.literal('hello'), window: z.string().max(200) }),
  /** `host` or `host:port` under which this window's VS Code forwards the service: live views may be opened there. */
  z.object({ type: z.literal('outside-authority'), authority: z.string().max(260).regex(outsideAuthority) }),
  /** What deliveries of this window's team are signed with; null: with what the service was started with, if anything. */
  z.object({
    type: z.literal('webhook-secret'),
    secret: z
      .string()
      .refine((secret) => webhookSecretProblem(secret) === undefined)
      .nullable(),
  }),
  /** The language model endpoint that the window's settings name; null: none. */
  z.object({
    type: z.literal('model-endpoint'),
    endpoint: z
      .object({
        baseUrl: z.string().max(2000),
        model: z.string().min(1).max(200),
        apiKey: z.string().max(4096).optional(),
      })
      .nullable(),
  }),
  /** Whether the window's VS Code has language models of its own to ask, and what the one that would be asked is called. */
  z.object({ type: z.literal('window-model'), name: z.string().max(200).nullable() }),
  z.object({
    type: z.literal('model-answer'),
    id: z.string(),
    text: z.string(),
    toolCalls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })),
  }),
  z.object({ type: z.literal('model-error'), id: z.string(), message: z.string().max(2000) }),
]);
export type FromWindow = z.output<typeof fromWindow>;

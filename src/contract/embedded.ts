import * as z from 'zod';
import { ownCrawlEndpoints } from './crawl/own-crawls.ts';
import { pageEndpoints } from './crawl/pages.ts';
import { docsSourceEndpoints } from './docs-search/docs-sources.ts';
import { endpoint, sessionErrors } from './endpoints/endpoint.ts';
import { dateTime, fewOf, ownResponse, requestBody, responseBody, wholeNumber } from './fields.ts';
import { limits, renewedActivityTtl } from './limits.ts';
import { agentKeyEndpoints } from './mcp/agent-keys.ts';
import { agentRun, agentSessionEndpoints, agentState } from './mcp/agent-sessions.ts';
import { type CutPart, keptRunEndpoints, language } from './sessions/execution.ts';
import { loginEndpoints, loginSite } from './sessions/logins.ts';
import { sessionParams } from './sessions/sessions.ts';
import { webhookSecretProblem } from './webhooks/webhooks.ts';

const absolutePath = z
  .string()
  .max(4096)
  .regex(/^(?:\/|[A-Za-z]:[\\/]|\\\\)[^\0]*$/, { error: 'expected an absolute path' });

/**
 * The endpoints that only the embedded service has; they are never called on other servers.
 * A window finds the service through its discovery file, verifies it, and keeps a link (a WebSocket) to it.
 */
export const embeddedEndpoints = {
  prove: endpoint('GET', '/embedded/proof', {
    summary: 'Prove that this is the service that wrote the discovery file: an HMAC of the nonce with its secret',
    query: z.object({
      nonce: z.string().regex(/^[0-9a-f]{64}$/, { error: 'expected 32 random bytes as lower-case hex' }),
    }),
    response: responseBody({ proof: z.string() }),
  }),
  resetRepl: endpoint('POST', '/embedded/browser/:sessionId/reset', {
    summary: 'Reset the REPL of a session; the browser and its pages stay open',
    params: sessionParams,
    body: requestBody({ language: language.default('node') }),
    response: ownResponse({}),
    errors: sessionErrors,
  }),
  renewSession: endpoint('POST', '/embedded/browser/:sessionId/renew', {
    summary:
      'Keep a session open: it now expires `ttl` seconds from now, and after `activityTtl` seconds of inactivity',
    params: sessionParams,
    body: requestBody({
      ttl: wholeNumber(limits.ttl, 'seconds'),
      activityTtl: wholeNumber(renewedActivityTtl, 'seconds').optional(),
      /** Extends the session once: its end remains a fixed deadline that no window moves. */
      once: z.boolean().default(false),
    }),
    response: ownResponse({ expiresAt: dateTime, activityTtl: z.number() }),
    errors: { 402: 'The remaining credits do not cover the session for that long', ...sessionErrors },
  }),
  readMissingTool: endpoint('GET', '/embedded/missing-tool', {
    summary: 'Find out what the next run in a language installs: its folder; null if nothing',
    query: z.object({ language, python: absolutePath.optional() }),
    response: ownResponse({ folder: z.string().nullable() }),
  }),
  listProfiles: endpoint('GET', '/embedded/profiles', {
    summary: 'List the saved profiles of the team, newest first',
    response: ownResponse({
      profiles: z.array(
        responseBody({
          name: z.string(),
          savedAt: dateTime,
          inUse: z.boolean(),
          /** The sites for which it keeps a login. */
          sites: z.array(loginSite).optional(),
        }),
      ),
    }),
  }),
  ...keptRunEndpoints,
  ...loginEndpoints,
  ...docsSourceEndpoints,
  ...agentKeyEndpoints,
  ...agentSessionEndpoints,
  ...pageEndpoints,
  ...ownCrawlEndpoints,
} as const;

/** How long a session lives from now on. */
export type RenewedLife = z.output<typeof embeddedEndpoints.renewSession.body>;

export const linkPath = '/embedded/link';
/** Header of execute and interact with a UUID from the caller, which names the run in run events. */
export const runIdHeader = 'x-webdata-run';
/** On execute and interact: where the code is from. The value is `encodePlace`'s. */
export const placeHeader = 'x-webdata-place';

/** Where code is from: it runs as if it were in this file. The service reads the paths on its own machine. */
export const place = z.strictObject({
  /** File that the code is part of. It doesn't have to exist, but relative imports start from its folder. */
  file: absolutePath,
  /** Line of the file in which the code begins, from 0. */
  line: z.int().min(0).max(1_000_000).optional(),
  /** Working directory. */
  directory: absolutePath,
  /** File with environment variables for the run, read at each run. */
  envFile: absolutePath.optional(),
  /** Python interpreter of the project. */
  python: absolutePath.optional(),
});
export type Place = z.output<typeof place>;

/** Returns a place as the value of a header, which is limited to ASCII. */
export function encodePlace(value: Place): string {
  return encodeURIComponent(JSON.stringify(value));
}

/** Field of the response to such a caller: the bytes of each part before it was cut. Absent if nothing was cut. */
export const sizesField = 'sizes';
export interface OutputSizes {
  stdout: number;
  stderr: number;
  result: number;
  /** Members of the result, if it is a list that was cut. */
  rows?: number;
  /** The parts that can be read whole. */
  kept?: CutPart[];
}
/** Field of the response to such a caller: true if the code has a value, and that is an empty text. */
export const emptyValueField = 'emptyValue';
/** Name of the discovery file in the data dir. */
export const discoveryFileName = 'service.json';
/**
 * Environment variables that the service is started with, so that glibc returns freed memory to the system instead of
 * keeping it for each thread. Other platforms ignore them.
 */
export const memoryVariables = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '262144',
  MALLOC_TRIM_THRESHOLD_: '262144',
} as const;

/** Environment variable with `KEY:TEAM,…`, the keys of an embedded service. */
export const apiKeysVariable = 'WEBDATA_API_KEYS';

/** The address of a running service and the secret that authenticates it. Only the owner can read the file. */
export const discoveryFile = z.object({
  port: z.int().min(1).max(65535),
  pid: z.int().min(2),
  /** Key of the proofs; never sent. */
  secret: z.string().min(32),
  apiKey: z.string().nullable(),
  version: z.string(),
});
export type DiscoveryFile = z.output<typeof discoveryFile>;

/** The message whose HMAC-SHA256 with the discovery file's secret authenticates a service; it includes the requested port. */
export function proofMessage(nonce: string, port: number): string {
  return `web-data-service\n${port}\n${nonce}`;
}

/** The line on standard output when the service is listening. */
export const listeningLine = z.object({
  event: z.literal('listening'),
  baseUrl: z.string(),
  apiKey: z.string().nullable(),
  pid: z.int(),
});

export const streams = ['stdout', 'stderr'] as const;

const ofRun = { runId: z.string(), sessionId: z.string() };
/** An event of a run, sent as it happens. */
export const runEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal(['queued', 'started', 'finished']), ...ofRun }),
  z.object({ kind: z.literal('output'), ...ofRun, stream: z.enum(streams), text: z.string() }),
  z.object({ kind: z.literal('notice'), ...ofRun, text: z.string() }),
]);
export type RunEvent = z.output<typeof runEvent>;

/** A tool call of a language model. Its arguments should be JSON, but may be any text. */
const toolCall = z.object({ id: z.string(), name: z.string(), arguments: z.string() });
export type ToolCall = z.output<typeof toolCall>;

/** A tool that a language model may call. `parameters` is the JSON Schema of its arguments, an object. */
const toolDescription = z.object({
  name: z.string(),
  description: z.string(),
  parameters: z.record(z.string(), z.unknown()),
});
export type ToolDescription = z.output<typeof toolDescription>;

/** A message of a conversation with a language model. */
const chatMessage = z.discriminatedUnion('role', [
  z.object({ role: z.literal(['system', 'user']), content: z.string() }),
  z.object({ role: z.literal('assistant'), content: z.string(), toolCalls: z.array(toolCall).optional() }),
  z.object({ role: z.literal('tool'), toolCallId: z.string(), content: z.string() }),
]);
export type ChatMessage = z.output<typeof chatMessage>;

/** Messages from the service to a window. */
export const fromService = z.discriminatedUnion('type', [
  z.object({ type: z.literal('welcome'), version: z.string(), pid: z.int() }),
  z.object({ type: z.literal('run'), event: runEvent }),
  /** The list of sessions changed. */
  z.object({ type: z.literal('sessions-changed'), sessionId: z.string(), reason: z.string() }),
  /** What agents do now, and what they wait to be allowed. Sent at the start and whenever it changes. */
  z.object({ type: z.literal('agents'), ...agentState }),
  z.object({ type: z.literal('agent-run'), run: agentRun }),
  /** A request to a language model of the window's VS Code; the response has the same id. */
  z.object({
    type: z.literal('model-request'),
    id: z.string(),
    messages: z.array(chatMessage),
    tools: z.array(toolDescription),
  }),
  /** The response is no longer needed. */
  z.object({ type: z.literal('model-cancel'), id: z.string() }),
  /** The service is shutting down; the reason is shown to the user. `successor`: the version of the service that follows. */
  z.object({ type: z.literal('goodbye'), reason: z.string(), successor: z.string().optional() }),
]);
export type FromService = z.output<typeof fromService>;

const outsideAuthority = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;

/** Messages from a window to the service. */
export const fromWindow = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    window: z.string().max(200),
    /** Version of the window's extension. */
    version: z.string().max(40).optional(),
    /** The process that starts the window's extension host, and outlives it when the window reloads. */
    host: z.int().min(2).optional(),
  }),
  /** Ends the service in order, with its profiles saved: a signal would end it at once on Windows. */
  z.object({ type: z.literal('stop') }),
  /** A session may be needed soon: the service gets a spare browser ready. */
  z.object({ type: z.literal('warm') }),
  /** `host` or `host:port` at which this window's VS Code forwards the service: live views may be opened there. */
  z.object({ type: z.literal('outside-authority'), authority: z.string().max(260).regex(outsideAuthority) }),
  /** The secret that signs deliveries of this window's team; null: the secret that the service was started with, if any. */
  z.object({
    type: z.literal('webhook-secret'),
    secret: z
      .string()
      .refine((secret) => webhookSecretProblem(secret) === undefined)
      .nullable(),
  }),
  /** A folder that the window's user chose: its Markdown may be indexed. */
  z.object({ type: z.literal('docs-folder'), folder: z.string().min(1).max(4_096) }),
  /** The language model endpoint in the window's settings, or null. */
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
  /** The base URL of the search engine in the window's settings, or null. */
  z.object({ type: z.literal('search-endpoint'), endpoint: z.string().max(2000).nullable() }),
  /** The name of the VS Code language model that this window would use, or null when it has none. */
  z.object({ type: z.literal('window-model'), name: z.string().max(200).nullable() }),
  z.object({
    type: z.literal('model-answer'),
    id: z.string(),
    text: z.string(),
    toolCalls: fewOf(toolCall, 1_000),
  }),
  z.object({ type: z.literal('model-error'), id: z.string(), message: z.string().max(2000) }),
]);
export type FromWindow = z.output<typeof fromWindow>;

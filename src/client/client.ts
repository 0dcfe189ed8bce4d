import { embeddedEndpoints } from '../contract/embedded.ts';
import { type Endpoint, endpoints, type RequestOf, type ResponseOf } from '../contract/endpoints.ts';
import { apiKeyProblem, keyRedactor } from './api-key.ts';
import { checkBaseUrl } from './base-url.ts';
import { type CallContext, type CallOptions, callEndpoint, type Fetch } from './calls.ts';
import { type ClientClock, systemClock } from './clock.ts';
import { InvalidBaseUrlError, InvalidKeyError } from './errors.ts';
import { longFetch } from './long-fetch.ts';
import type { RequestParts } from './requests.ts';

/** Options of a client. */
export interface ClientOptions {
  /** A URL that `checkBaseUrl` accepts; callers ask first where the key would be sent unencrypted. */
  baseUrl: string;
  /** Sent as a Bearer token; without one, or with an empty one, no Authorization header is sent. */
  apiKey?: string | null | undefined;
  /** The server is the embedded service: errors don't name its address. */
  isOwn?: boolean | undefined;
  /** For calls that respond within a minute. */
  fetch: Fetch;
  clock?: ClientClock | undefined;
  /** From 0 to 1, for the jitter of retries. */
  random?: (() => number) | undefined;
}

type Arguments<Entry extends Endpoint> =
  Record<never, never> extends RequestOf<Entry>
    ? [request?: RequestOf<Entry>, options?: CallOptions]
    : [request: RequestOf<Entry>, options?: CallOptions];

/** A method for each endpoint of a table. */
export type ClientOf<Table extends Record<string, Endpoint>> = {
  readonly [Name in keyof Table]: (...args: Arguments<Table[Name]>) => Promise<ResponseOf<Table[Name]>>;
};

export type Client = ClientOf<typeof endpoints>;
export type EmbeddedClient = ClientOf<typeof embeddedEndpoints>;

/**
 * Creates a client for any server of the web data API.
 * @throws InvalidBaseUrlError, InvalidKeyError; its methods reject with a ClientError and nothing else
 */
export function createClient(options: ClientOptions): Client {
  return bindTable(endpoints, options);
}

/** Creates a client for the endpoints that only the embedded service has. Throws as `createClient` does. */
export function createEmbeddedClient(options: ClientOptions): EmbeddedClient {
  return bindTable(embeddedEndpoints, options);
}

function bindTable<Table extends Record<string, Endpoint>>(table: Table, options: ClientOptions): ClientOf<Table> {
  const context = createContext(options);
  const calls = Object.entries(table).map(([name, entry]) => [
    name,
    (parts: RequestParts = {}, callOptions: CallOptions = {}) => callEndpoint(context, name, entry, parts, callOptions),
  ]);
  return Object.freeze(Object.fromEntries(calls)) as ClientOf<Table>;
}

function createContext(options: ClientOptions): CallContext {
  const address = checkBaseUrl(options.baseUrl);
  if (!address.ok) throw new InvalidBaseUrlError(address.message);
  const apiKey = options.apiKey || undefined;
  const problem = apiKey === undefined ? undefined : apiKeyProblem(apiKey);
  if (problem !== undefined) throw new InvalidKeyError(problem);
  return {
    server: { baseUrl: address.baseUrl, host: address.host, apiKey, isOwn: options.isOwn ?? false },
    fetch: options.fetch,
    longFetch,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    redact: keyRedactor(apiKey),
  };
}

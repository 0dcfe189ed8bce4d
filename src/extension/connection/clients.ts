/** API clients and their input checks. Loaded on first use, never at activation. */
import { type Client, createClient, createEmbeddedClient, type EmbeddedClient } from '../../client/client.ts';
import { longFetch } from '../../client/long-fetch.ts';
import type { FoundService } from './embedded/discovery.ts';

export { apiKeyProblem } from '../../client/api-key.ts';
export { checkBaseUrl } from '../../client/base-url.ts';

/** Creates a client for a remote server. Uses the global fetch, which VS Code patches for proxies and certificates. */
export function createServerClient(baseUrl: string, apiKey: string): Client {
  return createClient({ baseUrl, apiKey, fetch: globalThis.fetch });
}

/** Creates clients for the embedded service. Calls go directly to this machine, never through a proxy. */
export function createEmbeddedClients(service: Pick<FoundService, 'baseUrl' | 'apiKey'>): {
  client: Client;
  embedded: EmbeddedClient;
} {
  const options = { baseUrl: service.baseUrl, apiKey: service.apiKey, fetch: longFetch, longFetch };
  return { client: createClient(options), embedded: createEmbeddedClient(options) };
}

/** Checks with one read-only call that the URL is a web data server and accepts the key. */
export async function checkServer(baseUrl: string, apiKey: string, signal: AbortSignal): Promise<void> {
  await createServerClient(baseUrl, apiKey).listBrowserSessions({}, { signal, retries: 0 });
}

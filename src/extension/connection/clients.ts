/** The client and the checks of what it is given: loaded at the first use, never at activation. */
import { type Client, createClient, createEmbeddedClient, type EmbeddedClient } from '../../client/client.ts';
import { longFetch } from '../../client/long-fetch.ts';
import type { FoundService } from './embedded/discovery.ts';

export { apiKeyProblem } from '../../client/api-key.ts';
export { checkBaseUrl } from '../../client/base-url.ts';

/** A client of a server that the person connected to, over the fetch that VS Code patches for proxies and certificates. */
export function createServerClient(baseUrl: string, apiKey: string): Client {
  return createClient({ baseUrl, apiKey, fetch: globalThis.fetch });
}

/** Clients of the embedded service: every call goes straight to this machine. */
export function createEmbeddedClients(service: Pick<FoundService, 'baseUrl' | 'apiKey'>): {
  client: Client;
  embedded: EmbeddedClient;
} {
  const options = { baseUrl: service.baseUrl, apiKey: service.apiKey, fetch: longFetch, longFetch };
  return { client: createClient(options), embedded: createEmbeddedClient(options) };
}

/** One harmless call, to see that the address is a web data server and the key is good. */
export async function checkServer(baseUrl: string, apiKey: string, signal: AbortSignal): Promise<void> {
  await createServerClient(baseUrl, apiKey).listBrowserSessions({}, { signal, retries: 0 });
}

/** API clients and their input checks. Loaded on first use, never at activation. */
import { type Client, createClient, createEmbeddedClient, type EmbeddedClient } from '../../client/client.ts';
import { longFetch } from '../../client/long-fetch.ts';
import type { FoundService } from '../../discovery/discovery.ts';

export { apiKeyProblem } from '../../client/api-key.ts';
export { checkBaseUrl } from '../../client/base-url.ts';

/**
 * Creates a client for a remote server. Uses the global fetch, which VS Code patches for proxies and certificates.
 * @param onReached called after each request with whether the server answered
 */
export function createServerClient(baseUrl: string, apiKey: string, onReached: (answered: boolean) => void): Client {
  return createClient({ baseUrl, apiKey, fetch: watched(globalThis.fetch, onReached) });
}

/** Returns a fetch that reports whether servers answer. A request that the caller gave up says nothing. */
export function watched(
  fetch: typeof globalThis.fetch,
  onReached: (answered: boolean) => void,
): typeof globalThis.fetch {
  return async (input, init) => {
    try {
      const response = await fetch(input, init);
      onReached(true);
      return response;
    } catch (error) {
      const { signal } = init ?? {};
      const reason: unknown = signal?.reason;
      if (!signal?.aborted || (reason instanceof Error && reason.name === 'TimeoutError')) onReached(false);
      throw error;
    }
  };
}

/** Creates clients for the embedded service. Calls go directly to this machine, never through a proxy. */
export function createEmbeddedClients(service: Pick<FoundService, 'baseUrl' | 'apiKey'>): {
  client: Client;
  embedded: EmbeddedClient;
} {
  const options = { baseUrl: service.baseUrl, apiKey: service.apiKey, fetch: longFetch, isOwn: true };
  return { client: createClient(options), embedded: createEmbeddedClient(options) };
}

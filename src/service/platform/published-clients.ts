/** How published clients name themselves in `origin`. */
const origins = /^(js-sdk|python-sdk|py-sdk|java-sdk|go-sdk|rust-sdk|ruby-sdk|php-sdk|dotnet-sdk|elixir-sdk|cli|mcp)\b/;

/** Returns whether a request is from a client that was written for another service of this API. */
export function isPublishedClient({ origin, integration }: { origin?: unknown; integration?: unknown }): boolean {
  return (typeof origin === 'string' && origins.test(origin)) || integration === 'cli';
}

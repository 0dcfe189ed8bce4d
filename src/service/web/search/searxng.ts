import * as z from 'zod';
import { parseUrl } from '../../../contract/addresses.ts';
import { limits } from '../../../contract/limits.ts';
import { searchBaseUrl } from '../../../contract/search.ts';
import { shorten } from '../../../contract/shorten.ts';
import type { WindowLink } from '../../platform/link/link.ts';
import type { Log } from '../../platform/log.ts';
import { whyUnreachable } from '../../platform/network/connection-problems.ts';
import { userAgent } from '../../platform/network/network.ts';
import { readText } from '../../platform/network/read-text.ts';
import { readLargeJson } from '../../platform/read-large-json.ts';
import { type EngineRequest, type EngineResult, type SearchEngine, SearchError } from './engine.ts';

const text = z.string().nullish().catch(undefined);
const maxResponseMiB = 8;
const maxResultsAPage = 500;
const maxTitleLength = 500;
const maxTextLength = 4000;
const maxProblems = 10;
const firstOf = (most: number) =>
  z.preprocess((all) => (Array.isArray(all) ? all.slice(0, most) : all), z.array(z.unknown()));
const responseSchema = z.looseObject({
  results: firstOf(maxResultsAPage),
  unresponsive_engines: firstOf(maxProblems).catch([]).default([]),
});
const resultSchema = z.looseObject({
  url: z.string().min(1).max(limits.url),
  title: text,
  content: text,
  publishedDate: text,
  pubdate: text,
  img_src: text,
  thumbnail: text,
  thumbnail_src: text,
  resolution: text,
});
type SearxngResult = z.output<typeof resultSchema>;

/** Where a request's results come from: SearXNG groups its engines by category. */
function engineCategory({ source, category }: EngineRequest): string {
  if (source !== 'web') return source;
  return category === 'research' ? 'science' : 'general';
}

/** Operators that limit a query to a category; research has a group of engines instead. */
const operators: Readonly<Partial<Record<NonNullable<EngineRequest['category']>, string>>> = {
  github: 'site:github.com',
  pdf: 'filetype:pdf',
};

/**
 * Returns a SearXNG server as a search engine. It needs `json` among `search.formats` in the server's settings.
 * @param baseUrl without a trailing slash
 */
export function searxng(baseUrl: string): SearchEngine {
  const { host } = new URL(baseUrl);
  return {
    async page(request) {
      const url = new URL(`${baseUrl}/search`);
      const operator = request.category && operators[request.category];
      url.search = new URLSearchParams({
        q: operator ? `${request.query} ${operator}` : request.query,
        format: 'json',
        categories: engineCategory(request),
        pageno: String(request.page),
        ...(request.timeRange && { time_range: request.timeRange }),
        ...(request.language && { language: request.language }),
      }).toString();
      const { status, location, body } = await ask(url, request.signal);
      if (status >= 300 && status < 400) throw redirected(host, url, location);
      if (status !== 200) throw refused(host, status, body);
      return await read(body, baseUrl);
    },
  };
}

/** Search engines that linked windows configure in their settings. */
export function createWindowEngines(log: Log) {
  const engines = new Map<WindowLink, SearchEngine>();
  return {
    find(team: string): SearchEngine | undefined {
      for (const [window, engine] of engines) if (window.caller.team === team) return engine;
      return undefined;
    },
    heard(from: WindowLink, endpoint: string | null): void {
      engines.delete(from);
      if (endpoint === null) return;
      const baseUrl = searchBaseUrl(endpoint);
      if (baseUrl === undefined) log.warn('the search engine in the settings of a window is invalid');
      else engines.set(from, searxng(baseUrl));
    },
    gone: (from: WindowLink): void => void engines.delete(from),
  };
}

async function ask(url: URL, signal: AbortSignal) {
  try {
    const { fetch } = await import('undici');
    // A redirect isn't followed: the query would go to a server that nobody chose.
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { accept: 'application/json', 'accept-language': 'en', 'user-agent': userAgent },
      signal,
    });
    const location = response.headers.get('location') ?? undefined;
    return { status: response.status, location, body: await readText(response.body, maxResponseMiB, 'Its response') };
  } catch (error) {
    signal.throwIfAborted();
    throw new SearchError(
      'SEARCH_ENGINE_FAILED',
      `The search engine at ${url.host} can't be reached: ${whyUnreachable(error, url.href)} Check that it is running and that its URL is correct.`,
      error,
    );
  }
}

function redirected(host: string, from: URL, location: string | undefined): SearchError {
  const target = location ? parseUrl(location, from) : null;
  const at = target && shorten(`${target.origin}${target.pathname.replace(/\/search\/?$/, '')}`);
  return new SearchError(
    'SEARCH_ENGINE_SETTINGS',
    `The search engine at ${host} redirects${at ? ` to ${at}` : ''}. Set the search endpoint to SearXNG's base URL.`,
  );
}

function refused(host: string, status: number, body: string): SearchError {
  if (status === 403) {
    return new SearchError(
      'SEARCH_ENGINE_SETTINGS',
      `SearXNG at ${host} refused the JSON format (status 403). Add "json" to search.formats in its settings.yml, and restart it.`,
    );
  }
  if (status === 401 || status === 404 || status === 405) {
    const what =
      status === 401 ? `The server at ${host} asks for a login` : `There is no SearXNG search at this URL on ${host}`;
    return new SearchError(
      'SEARCH_ENGINE_SETTINGS',
      `${what} (status ${status}). Set the search endpoint to the base URL of a SearXNG server.`,
    );
  }
  if (status === 429) {
    return new SearchError(
      'SEARCH_ENGINE_FAILED',
      `SearXNG at ${host} limits requests (status 429). Wait, or turn off server.limiter in its settings.yml.`,
    );
  }
  const detail = /"error"\s*:\s*"((?:[^"\\]|\\.){1,200})/.exec(body)?.[1];
  return new SearchError(
    'SEARCH_ENGINE_FAILED',
    `The search engine at ${host} returned status ${status}${detail ? `: ${cleaned(detail, 200)}` : ''}.`,
  );
}

async function read(body: string, baseUrl: string) {
  const json = readLargeJson([Buffer.from(body.replace(/^\uFEFF/, ''))]);
  const parsed = responseSchema.safeParse(await json.catch(() => undefined));
  if (!parsed.success) {
    const what = /^\s*</.test(body) ? 'HTML instead of' : 'something other than';
    throw new SearchError(
      'SEARCH_ENGINE_SETTINGS',
      `The server at ${new URL(baseUrl).host} returned ${what} SearXNG's JSON. Set the search endpoint to the base URL of a SearXNG server, with "json" in search.formats of its settings.yml.`,
    );
  }
  return {
    results: parsed.data.results.flatMap((result) => {
      const { data } = resultSchema.safeParse(result);
      return data && parseUrl(data.url) ? resultOf(data, baseUrl) : [];
    }),
    problems: parsed.data.unresponsive_engines.map((entry) => {
      const [name, why] = Array.isArray(entry) ? entry : [entry];
      return cleaned(why ? `${name} (${why})` : String(name), 100);
    }),
  };
}

function resultOf(result: SearxngResult, baseUrl: string): EngineResult {
  const image = result.img_src || result.thumbnail_src || result.thumbnail;
  const imageUrl = image ? parseUrl(image, `${baseUrl}/`)?.href : undefined;
  const [, width, height] = /^\s*(\d{1,6})\s*[x×*]\s*(\d{1,6})/i.exec(result.resolution ?? '') ?? [];
  // Older servers write publishedDate for people, such as "3 hours ago", and the time in pubdate.
  const date = result.pubdate || result.publishedDate;
  return {
    url: result.url,
    title: cleaned(result.title ?? '', maxTitleLength),
    text: cleaned(result.content ?? '', maxTextLength),
    ...(date && { date: cleaned(date, 100) }),
    ...(imageUrl && /^https?:/.test(imageUrl) && { imageUrl }),
    ...(width && height && { imageWidth: Number(width), imageHeight: Number(height) }),
  };
}

/** Returns a text on one line without control characters. */
function cleaned(value: string, maxLength: number): string {
  return value
    .slice(0, maxLength * 2)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, maxLength);
}

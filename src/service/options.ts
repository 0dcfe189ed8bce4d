import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { apiKeysVariable } from '../contract/embedded.ts';
import { limits } from '../contract/limits.ts';
import { searchBaseUrl } from '../contract/search.ts';
import { shorten } from '../contract/shorten.ts';
import { webhookRetryVariable, webhookSecretVariable } from '../contract/webhooks/webhooks.ts';
import type { AssistantsOptions } from './assistants/assistants.ts';
import { defaultSpareBrowsers } from './browsers/ahead.ts';
import type { BrowsersOptions } from './browsers/browsers.ts';
import { isolationMode } from './browsers/isolation/isolation.ts';
import { defaultDataDir } from './platform/data-dir.ts';
import {
  checkExposure,
  isBeyondLoopback,
  parseAllowedHost,
  parseHost,
  parsePublicUrl,
} from './platform/http/address.ts';
import { parseApiKey } from './platform/http/keys.ts';
import { modelFromEnvironment } from './platform/language-model/models.ts';
import type { PlatformOptions } from './platform/platform.ts';
import { webhookOptions } from './platform/webhooks/webhook-options.ts';
import { variables } from './variables.ts';
import type { SearchEngine } from './web/search/engine.ts';
import { searxng } from './web/search/searxng.ts';
import type { WebOptions } from './web/web.ts';

/** The settings that a service runs with. */
export interface ServiceOptions extends PlatformOptions, BrowsersOptions, WebOptions, AssistantsOptions {}

export const usage = `Usage: web-data-service [options]
       web-data-service mcp [options]   speak the Model Context Protocol on standard input and output
       web-data-service keys …          create, list and revoke keys; see keys --help
  --port N               port to listen on; 0 picks any free one (default 0)
  --host ADDRESS         IP address to listen on, such as 0.0.0.0 (default 127.0.0.1)
  --allowed-host NAME    host name that requests may use, repeatable
  --public-url URL       URL of the service in links, such as that of a proxy in front of it; also allows its name
  --data-dir DIR         folder for sessions, profiles and jobs
  --database URL         store data in PostgreSQL (postgres://…); also from ${variables.database}
                         (default: an SQLite file in the data directory)
  --node-url URL         URL at which other services with the same database reach this one;
                         also from ${variables.nodeUrl} (default: its own address)
  --shared-dir DIR       folder for profiles and downloads that these services share;
                         also from ${variables.sharedDir} (default: the data directory)
  --api-key KEY[:TEAM]   API key to accept, repeatable; also from ${apiKeysVariable}=KEY:TEAM,…
                         (default: one random key)
  --no-auth              accept requests without a key
  --max-sessions N       concurrent sessions per team (default ${limits.concurrentSessions.default})
  --credits N            credits that each team can spend per month (default: no limit)
  --chrome PATH          browser executable
  --browser-endpoint URL get browsers from a Selenium Grid (http or https) or a CDP endpoint (ws or wss);
                         also from ${variables.browserEndpoint}
  --proxy URL            fetch pages through this HTTP proxy; also from ${variables.proxy}
  --search-endpoint URL  SearXNG server that answers web searches; also from ${variables.searchEndpoint}
  --deny-private-targets block requests to private addresses, including this machine
  --isolation MODE       bubblewrap: run snippets and browsers in a sandbox that sees only their own session (Linux);
                         none: run them with the permissions of the service; also from ${variables.isolation}
                         (default: bubblewrap with --public-url or a --host other than loopback, otherwise none)
  --python PATH          interpreter for Python snippets
  --agent-browser PATH   agent-browser executable for Bash snippets; also from ${variables.agentBrowser}
  --spare-browsers N     browsers to keep ready (default 1; none on a machine with less than 3 GB, or with a
                         Selenium Grid)
  --webhook-secret-file FILE  file with the secret that signs webhook deliveries; also from ${webhookSecretVariable}
                         (retry delays in seconds: ${webhookRetryVariable}=60,300,900)
  --docs DIR             also answer questions from the texts in this folder, repeatable
  --headed               show browser windows
  --linked               stop 10 s after the last editor window closes
  --keep-minutes N       with --linked: keep running, with the sessions, for so long after it; also from
                         ${variables.keepMinutes} (default 0, up to 1440)
  --help                 print this help
  --version              print the version

When it listens, it prints one line of JSON with its address and API key.`;

/** Parses the command line and the environment. Throws an Error with a one-line message to show. */
export function parseOptions(args: readonly string[], env: NodeJS.ProcessEnv): ServiceOptions {
  const { values } = parseArgs({
    args: [...args],
    strict: true,
    allowPositionals: false,
    options: {
      port: { type: 'string', default: '0' },
      host: { type: 'string', default: '127.0.0.1' },
      'allowed-host': { type: 'string', multiple: true, default: [] },
      'public-url': { type: 'string' },
      'data-dir': { type: 'string' },
      database: { type: 'string' },
      'node-url': { type: 'string' },
      'shared-dir': { type: 'string' },
      'api-key': { type: 'string', multiple: true, default: [] },
      'no-auth': { type: 'boolean', default: false },
      'max-sessions': { type: 'string', default: String(limits.concurrentSessions.default) },
      credits: { type: 'string' },
      chrome: { type: 'string' },
      'browser-endpoint': { type: 'string' },
      proxy: { type: 'string' },
      'search-endpoint': { type: 'string' },
      'deny-private-targets': { type: 'boolean', default: false },
      isolation: { type: 'string' },
      python: { type: 'string' },
      'agent-browser': { type: 'string' },
      'spare-browsers': { type: 'string', default: String(defaultSpareBrowsers) },
      'webhook-secret-file': { type: 'string' },
      docs: { type: 'string', multiple: true, default: [] },
      headed: { type: 'boolean', default: false },
      linked: { type: 'boolean', default: false },
      'keep-minutes': { type: 'string' },
    },
  });
  const fromEnvironment = (env[apiKeysVariable] ?? '').split(',').filter((text) => text !== '');
  const apiKeys = [...values['api-key'], ...fromEnvironment].map(parseApiKey);
  if (values['no-auth'] && apiKeys.length > 0) throw new Error('Use either API keys or --no-auth, not both.');
  const address = {
    host: parseHost(values.host),
    allowedHosts: values['allowed-host'].map(parseAllowedHost),
    publicUrl: parsePublicUrl(values['public-url']),
  };
  checkExposure(address, values['no-auth']);
  // Callers elsewhere couldn't know a random key: they have stored keys.
  if (apiKeys.length === 0 && !isBeyondLoopback(address.host))
    apiKeys.push(parseApiKey(randomBytes(24).toString('base64url')));
  const isForOthers = isBeyondLoopback(address.host) || address.publicUrl !== undefined;
  const isolation = isolationMode(values.isolation ?? env[variables.isolation], isForOthers);
  if (isolation !== 'none' && values.headed)
    throw new Error('Use either --headed or --isolation bubblewrap, not both.');
  if (isolation !== 'none' && values['no-auth'])
    throw new Error(
      "--no-auth and --isolation bubblewrap can't be used together: code in a sandbox reaches the service, which would accept it without a key. Use API keys.",
    );
  const port = wholeNumber('--port', values.port, 0, 65_535);
  if (isolation !== 'none' && port > 0 && port < 1024)
    throw new Error(
      'With --isolation bubblewrap, --port must be above 1023, because sandboxes listen on the same port without privileges.',
    );
  return {
    port,
    ...address,
    dataDir: resolve(values['data-dir'] ?? defaultDataDir(env)),
    database: databaseUrl(values.database ?? env[variables.database]),
    nodeUrl: urlOf('--node-url', ...http, values['node-url'] ?? env[variables.nodeUrl]),
    sharedDir: folder(values['shared-dir'] ?? env[variables.sharedDir]),
    apiKeys: values['no-auth'] ? undefined : apiKeys,
    maxSessions: wholeNumber('--max-sessions', values['max-sessions'], 1, 1000),
    credits: values.credits === undefined ? undefined : wholeNumber('--credits', values.credits, 0, 1e9),
    chromePath: values.chrome,
    browserEndpoint: urlOf(
      '--browser-endpoint',
      /^(wss?|https?):$/,
      'an http://, https://, ws:// or wss://',
      values['browser-endpoint'] ?? env[variables.browserEndpoint],
    ),
    proxy: urlOf('--proxy', ...http, values.proxy ?? env[variables.proxy]),
    denyPrivateTargets: values['deny-private-targets'],
    pythonPath: values.python,
    agentBrowserPath: (values['agent-browser'] ?? env[variables.agentBrowser]) || undefined,
    spareBrowsers: wholeNumber('--spare-browsers', values['spare-browsers'], 0, 20),
    webhooks: webhookOptions(values['webhook-secret-file'], env),
    headless: !values.headed,
    isolation,
    languageModel: modelFromEnvironment(env),
    searchEngine: searchEngine(values['search-endpoint'] ?? env[variables.searchEndpoint]),
    docsFolders: values.docs.map((folder) => resolve(folder)),
    linked: values.linked,
    keepMinutes: wholeNumber('--keep-minutes', (values['keep-minutes'] ?? env[variables.keepMinutes]) || '0', 0, 1440),
  };
}

function folder(text: string | undefined): string | undefined {
  return text ? resolve(text) : undefined;
}

const http = [/^https?:$/, 'an http:// or https://'] as const;

/** Returns a URL. It may contain a password or a token, so the error message doesn't repeat it. */
function urlOf(name: string, schemes: RegExp, expected: string, text: string | undefined): string | undefined {
  if (text && !schemes.test(URL.parse(text)?.protocol ?? '')) throw new Error(`${name} must be ${expected} URL.`);
  return text || undefined;
}

export const databaseUrl = (text: string | undefined) =>
  urlOf('--database', /^postgres(?:ql)?:$/, 'a postgres://', text);

/** The URL may contain a password, so the error message doesn't repeat it. */
function searchEngine(text: string | undefined): SearchEngine | undefined {
  if (!text) return undefined;
  const baseUrl = searchBaseUrl(text);
  if (baseUrl === undefined) throw new Error('--search-endpoint must be an http or https URL without a user name.');
  return searxng(baseUrl);
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max))
    throw new Error(`${name} must be a whole number from ${min} to ${max}, got "${shorten(text, 40)}".`);
  return value;
}

import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { apiKeysVariable } from '../contract/embedded.ts';
import { limits } from '../contract/limits.ts';
import { webhookRetryVariable, webhookSecretVariable } from '../contract/webhooks.ts';
import { defaultDataDir } from './data-dir.ts';
import { type ApiKey, parseApiKey } from './http/keys.ts';
import type { LanguageModel } from './language-model/language-model.ts';
import { modelFromEnvironment } from './language-model/models.ts';
import { type WebhookOptions, webhookOptions } from './webhooks/webhook-options.ts';

/** How a service was asked to run. */
export interface ServiceOptions {
  /** 0 takes any free one. */
  port: number;
  dataDir: string;
  /** Undefined: everybody may call. */
  apiKeys: ApiKey[] | undefined;
  maxSessions: number;
  /** Credits that there are to spend; undefined: no end of them. */
  credits: number | undefined;
  chromePath: string | undefined;
  /** WebSocket URL of a CDP endpoint to take browsers from, instead of launching them. */
  browserEndpoint: string | undefined;
  /** URL of the HTTP proxy that pages are fetched through. */
  proxy: string | undefined;
  /** Fetch nothing from private addresses. */
  denyPrivateTargets: boolean;
  /** Python interpreter to use instead of the one that is found. */
  pythonPath: string | undefined;
  /** agent-browser to use instead of the one that is found or installed. */
  agentBrowserPath: string | undefined;
  spareBrowsers: number;
  webhooks: WebhookOptions;
  headless: boolean;
  /** The model that prompts are given to, where the environment names one. */
  languageModel: LanguageModel | undefined;
  /** Folders of markdown that questions are answered from, beside the service's own texts. */
  docsFolders: string[];
  /** End shortly after the last window's link is gone. */
  linked: boolean;
}

export const usage = `Usage: node dist/service.cjs [options]
  --port N               port on 127.0.0.1, 0 for any free one (default 0)
  --data-dir DIR         where sessions, profiles and jobs are kept
  --api-key KEY[:TEAM]   a key that is accepted, repeatable; also from ${apiKeysVariable}=KEY:TEAM,…
                         (none given: one random key)
  --no-auth              accept every caller
  --max-sessions N       sessions of a team at a time (default ${limits.concurrentSessions.default})
  --credits N            credits that there are to spend (default: no limit)
  --chrome PATH          the browser to run
  --browser-endpoint URL take browsers from a CDP endpoint (ws or wss), such as a grid
  --proxy URL            fetch pages through this HTTP proxy; also from WEBDATA_PROXY
  --deny-private-targets fetch nothing from private addresses, this machine's among them
  --python PATH          the interpreter for python snippets
  --agent-browser PATH   the agent-browser for bash snippets
  --spare-browsers N     browsers kept ready (default 1)
  --webhook-secret-file FILE  the secret that webhook deliveries are signed with; also from ${webhookSecretVariable}
                         (seconds until a delivery is tried again: ${webhookRetryVariable}=60,300,900)
  --docs DIR             answer questions from the markdown in this folder too, repeatable
  --headed               show the browsers' windows
  --linked               end 10 s after the last window of the editor is gone`;

/** Reads the command line and the environment. Throws an Error whose message is one line for the person. */
export function parseOptions(args: readonly string[], env: NodeJS.ProcessEnv): ServiceOptions {
  const { values } = parseArgs({
    args: [...args],
    strict: true,
    allowPositionals: false,
    options: {
      port: { type: 'string', default: '0' },
      'data-dir': { type: 'string' },
      'api-key': { type: 'string', multiple: true, default: [] },
      'no-auth': { type: 'boolean', default: false },
      'max-sessions': { type: 'string', default: String(limits.concurrentSessions.default) },
      credits: { type: 'string' },
      chrome: { type: 'string' },
      'browser-endpoint': { type: 'string' },
      proxy: { type: 'string' },
      'deny-private-targets': { type: 'boolean', default: false },
      python: { type: 'string' },
      'agent-browser': { type: 'string' },
      'spare-browsers': { type: 'string', default: '1' },
      'webhook-secret-file': { type: 'string' },
      docs: { type: 'string', multiple: true, default: [] },
      headed: { type: 'boolean', default: false },
      linked: { type: 'boolean', default: false },
    },
  });
  const fromEnvironment = (env[apiKeysVariable] ?? '').split(',').filter((text) => text !== '');
  const apiKeys = [...values['api-key'], ...fromEnvironment].map(parseApiKey);
  if (values['no-auth'] && apiKeys.length > 0) throw new Error('Give either keys or --no-auth, not both.');
  if (apiKeys.length === 0) apiKeys.push(parseApiKey(randomBytes(24).toString('base64url')));
  return {
    port: wholeNumber('--port', values.port, 0, 65_535),
    dataDir: resolve(values['data-dir'] ?? defaultDataDir(env)),
    apiKeys: values['no-auth'] ? undefined : apiKeys,
    maxSessions: wholeNumber('--max-sessions', values['max-sessions'], 1, 1000),
    credits: values.credits === undefined ? undefined : wholeNumber('--credits', values.credits, 0, 1e9),
    chromePath: values.chrome,
    browserEndpoint: endpointUrl(values['browser-endpoint'] ?? env.WEBDATA_BROWSER_ENDPOINT),
    proxy: proxyUrl(values.proxy ?? env.WEBDATA_PROXY),
    denyPrivateTargets: values['deny-private-targets'],
    pythonPath: values.python,
    agentBrowserPath: values['agent-browser'],
    spareBrowsers: wholeNumber('--spare-browsers', values['spare-browsers'], 0, 20),
    webhooks: webhookOptions(values['webhook-secret-file'], env),
    headless: !values.headed,
    languageModel: modelFromEnvironment(env),
    docsFolders: values.docs.map((folder) => resolve(folder)),
    linked: values.linked,
  };
}

/** The URL may hold a token, so what is wrong with it is said without repeating it. */
function endpointUrl(text: string | undefined): string | undefined {
  if (!text) return undefined;
  if (!URL.canParse(text) || !/^wss?:$/.test(new URL(text).protocol)) {
    throw new Error('--browser-endpoint takes a ws:// or wss:// URL.');
  }
  return text;
}

/** The URL may hold a password, so what is wrong with it is said without repeating it. */
function proxyUrl(text: string | undefined): string | undefined {
  if (!text) return undefined;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new Error('--proxy takes an http:// or https:// URL.');
  }
  return text;
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max))
    throw new Error(`${name} takes a whole number from ${min} to ${max}, got "${text.slice(0, 40)}".`);
  return value;
}

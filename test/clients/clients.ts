import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../harness/folders.ts';
import { agentBrowserForTests } from '../harness/runner-tools.ts';
import { javascriptClients, pythonClients } from './install.ts';
import { type Auth, type ProgramRun, type Rig, runProgram } from './rig.ts';

/** A published client that calls the API. */
export interface Client {
  /** The name of its webhooks and of its home. */
  id: string;
  title: string;
  /** What a call is named. */
  unit: 'Method' | 'Command' | 'Tool' | 'Client';
  /** How to point it to a server, as Markdown. */
  connect: string;
  /** What the client lists as its own but calls no server, or nothing that this suite may do on the machine. */
  local: string[];
  /** Whether it is tried with a key only, because without one it would show nothing new. */
  keyOnly?: boolean;
  /** Whether only some of its calls are made without a key, as each is a process of its own. */
  fewWithoutKey?: boolean;
  /** Interpreter and arguments of the program that makes all its calls. */
  program(): Promise<[command: string, ...args: string[]]>;
}

const locks = join(repository, 'test', 'clients');
const packages: Record<string, string> = JSON.parse(readFileSync(join(locks, 'package.json'), 'utf8')).dependencies;
const requirements = readFileSync(join(locks, 'requirements.txt'), 'utf8');
const python = /^firecrawl-py==(\S+)/m.exec(requirements)?.[1];
const programIn = (name: string) => join(locks, 'programs', name);

/** Version of one of the packages of package.json. */
export function versionOf(name: string): string {
  return packages[name] ?? '';
}

const titled = (name: string) => `${name} ${versionOf(name)}`;

export const clients: Client[] = [
  {
    id: 'javascript',
    title: titled('@mendable/firecrawl-js'),
    unit: 'Method',
    connect: '`new Firecrawl({ apiUrl: BASE_URL, apiKey: API_KEY })`',
    local: [
      ...['constructor', 'v1', 'isCloudService', 'v1.constructor', 'v1.isCloudService', 'v1.getVersion', 'v1.init'],
      ...['v1.prepareHeaders', 'v1.postRequest', 'v1.getRequest', 'v1.deleteRequest', 'v1.monitorJobStatus'],
      ...['research', 'v1.isRetryableError', 'v1.handleError'],
      ...['v1.__deepResearch', 'v1.__asyncDeepResearch', 'v1.__checkDeepResearchStatus'],
    ],
    program: async () => [process.execPath, programIn('javascript.mjs')],
  },
  ...(['sync', 'async'] as const).map(
    (mode): Client => ({
      id: `python-${mode}`,
      title: `firecrawl-py ${python}, ${mode === 'sync' ? 'blocking' : 'asynchronous'}`,
      unit: 'Method',
      connect: `\`${mode === 'sync' ? 'Firecrawl' : 'AsyncFirecrawl'}(api_url=BASE_URL, api_key=API_KEY)\``,
      local: ['api_key', 'api_url', 'v1', 'v2'],
      keyOnly: mode === 'async',
      program: async () => [await pythonClients(() => undefined), programIn('python.py'), mode],
    }),
  ),
  {
    id: 'cli',
    fewWithoutKey: true,
    title: titled('firecrawl-cli'),
    unit: 'Command',
    connect:
      "`firecrawl --api-url BASE_URL --api-key API_KEY COMMAND`, or the environment variables `FIRECRAWL_API_URL` and `FIRECRAWL_API_KEY`. `doctor` and `--status` need a key even if the server doesn't; any text will do.",
    local: [
      ...['init', 'setup', 'make', 'launch', 'help'],
      ...['monitor help', 'research help', 'experimental help', 'browser help', 'interact help'],
    ],
    program: async () => [process.execPath, programIn('cli.mjs')],
  },
  {
    id: 'mcp',
    title: titled('firecrawl-mcp'),
    unit: 'Tool',
    connect: 'The environment variables `FIRECRAWL_API_URL` and `FIRECRAWL_API_KEY` of the server.',
    local: [],
    program: async () => [process.execPath, programIn('mcp.mjs')],
  },
  {
    id: 'agent',
    keyOnly: true,
    title: titled('mcporter'),
    unit: 'Tool',
    connect:
      // biome-ignore lint/suspicious/noTemplateCurlyInString: mcporter fills it in
      'A client of the service\'s own [tools for coding agents](mcp.md), over streamable HTTP and over standard input and output. In `mcporter.json`: `{ "baseUrl": "BASE_URL/mcp", "headers": { "Authorization": "Bearer ${WEBDATA_MCP_KEY}" } }`, or `{ "command": "npx", "args": ["web-data-service", "mcp"] }`.',
    local: [],
    program: async () => [process.execPath, programIn('agent.mjs')],
  },
  {
    id: 'cdp',
    // The address has a secret of its own instead.
    keyOnly: true,
    title: 'Browser clients, by cdpUrl',
    unit: 'Client',
    connect: `Each drives a session's page: \`chromium.connectOverCDP(cdpUrl)\`, \`puppeteer.connect({ browserWSEndpoint: cdpUrl })\`, \`agent-browser --cdp CDP_URL\`. Selenium (selenium-webdriver ${versionOf('selenium-webdriver')}) speaks WebDriver BiDi at the same address: [Browser sessions](browser-sessions.md) shows how.`,
    local: [],
    program: async () => [process.execPath, programIn('cdp.mjs')],
  },
];

/** Makes all calls of a client to the service with keys or to the one without. */
export async function runClient(client: Client, rig: Rig, auth: Auth): Promise<ProgramRun> {
  const { site, dead, files, folder } = rig;
  const name = `${client.id}-${auth}`;
  const agentBrowser = join(await agentBrowserForTests(() => undefined), 'agent-browser');
  const input = {
    name,
    agentBrowser,
    folder: await javascriptClients(() => undefined),
    ...rig.services[auth],
    service: join(repository, 'dist', 'service.cjs'),
    site: site.url,
    dead,
    files,
  };
  return await runProgram(rig, await client.program(), input, join(folder, 'homes', name));
}

// Runs every command of firecrawl-cli and prints what each wrote, one line of JSON a command.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsed, print, unknown } from './report.mjs';

const { name: who, folder, baseUrl, apiKey, site, dead, files } = JSON.parse(process.env.CLIENT_INPUT);
const program = join(folder, 'node_modules/firecrawl-cli/dist/index.js');
const homes = process.cwd();
/** Commands that run at the same time: starting one takes the time of a processor. */
let free = 4;
const waiting = [];

/** Runs a command in a home of its own, where it keeps its last scrape and session. */
async function run(home, args, key = apiKey) {
  if (free === 0) await new Promise((resolve) => waiting.push(resolve));
  else free--;
  try {
    const cwd = join(homes, home);
    mkdirSync(cwd, { recursive: true });
    const child = spawn(process.execPath, [program, ...args], {
      cwd,
      env: {
        ...process.env,
        HOME: cwd,
        USERPROFILE: cwd,
        FIRECRAWL_API_URL: baseUrl,
        ...(key && { FIRECRAWL_API_KEY: key }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8').on('data', (text) => {
        output[name] += text;
      });
    }
    const code = await new Promise((resolve) => child.once('close', resolve));
    return { code, ...output, cwd };
  } finally {
    const next = waiting.shift();
    if (next) next();
    else free++;
  }
}

/** Reports what a command wrote, or its error if it failed, and returns the former. */
async function call(method, shows, home, args, read = ({ stdout }) => parsed(stdout), key = apiKey) {
  const result = await run(home, [...method.split(' '), ...args], key);
  if (result.code !== 0) {
    print({ method, shows, error: { message: `${result.stderr}${result.stdout}`.trim(), status: result.code } });
    return undefined;
  }
  const value = read(result);
  print({ method, shows, value });
  return value;
}

const url = `${site}/prices`;
const schema = JSON.stringify({ type: 'object', properties: { euros: { type: 'number' } }, required: ['euros'] });
/** A command whose home nothing else uses. */
let homeNumber = 0;
const alone = (method, shows, args, ...rest) => call(method, shows, `alone-${++homeNumber}`, args, ...rest);
const both = ({ stdout, stderr }) => `${stdout}${stderr}`;

async function crawls() {
  const started = await alone('crawl', 'a job', [site, '--limit', '4', '--delay', '60000']);
  const id = started?.data?.jobId ?? unknown;
  await alone('crawl', 'a running crawl', [id, '--status']);
  await alone('crawl', 'a cancellation', [id, '--cancel']);
}

async function sessions() {
  const home = 'session';
  await call('browser launch-session', 'a session', home, ['--ttl', '300', '--json']);
  await call('browser execute', 'a result of JavaScript', home, [
    '--node',
    `await page.goto('${url}'); await page.title()`,
  ]);
  await call('browser execute', 'a result of Python', home, ['--python', 'print(await page.title())']);
  await call('browser execute', 'a result of agent-browser', home, ['get title']);
  await call('browser execute', 'a result of Bash', home, ['--bash', 'test -n "$CDP_URL" && echo Prices']);
  await call('browser execute', 'an error of the code', home, ['--node', "throw new Error('no such room')"], both);
  await call('browser', 'a result of agent-browser', home, ['get title']);
  await call('browser list', 'open sessions', home, ['active', '--json']);
  await call('browser close', 'the end of a session', home, []);
}

async function interactions() {
  const home = 'interaction';
  await call('scrape', 'a page as Markdown', home, [`${site}/form`]);
  const code = "await page.fill('#name', 'Ada'); await page.click('button'); await page.title()";
  await call('interact', 'a result of JavaScript', home, ['-c', code]);
  await call('interact', 'a result of Python', home, ['-c', 'print(await page.title())', '--python']);
  await call('interact', 'a result of agent-browser', home, ['-c', 'agent-browser get title', '--bash']);
  await call('interact', 'a prompt carried out', home, ['What is the title?']);
  await call('interact stop', 'the end of a session', home, []);
}

async function agents() {
  const started = await alone('agent', 'a job', [
    'wait for a cancellation',
    '--urls',
    url,
    '--schema',
    schema,
    '--json',
  ]);
  const id = started?.data?.jobId ?? started?.jobId ?? unknown;
  await alone('agent', 'the state of a job', [id, '--status', '--json']);
  await alone('agent', 'a cancellation', [id, '--cancel', '--json']);
}

/** The commands about the person's settings, in one home. */
async function settings() {
  const home = 'settings';
  await call('config', 'stored settings', home, ['--api-key', 'fc-0123456789', '--api-url', baseUrl]);
  await call('login', 'stored settings', home, ['--api-key', 'fc-0123456789', '--api-url', baseUrl]);
  await call('view-config', 'the address of the service', home, []);
  await call('env', 'a file with the key', home, [], ({ cwd }) => readFileSync(join(cwd, '.env'), 'utf8'));
  await call('logout', 'removed settings', home, []);
}

/** Names of all commands, as their help lists them. */
async function commands() {
  const of = async (...parents) => {
    const { stdout } = await run('help', [...parents, '--help']);
    const list = stdout.split('\nCommands:\n')[1]?.split('\n\n')[0] ?? '';
    return [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => [...parents, name].join(' '));
  };
  const groups = ['browser', 'monitor', 'research', 'experimental', 'interact'];
  const lists = await Promise.all([of(), ...groups.map((group) => of(group))]);
  print({ methods: lists.flat().filter((name) => !['monitor', 'research', 'experimental'].includes(name)) });
}

/** What is made with a key and without one, which changes nothing but a header of every request. */
const some = () => [
  crawls(),
  alone('scrape', 'every kind of content', [site, '--format', 'markdown,html,rawHtml,links,images']),
  alone('map', 'the URLs of a site', [site, '--json']),
  alone('parse', 'a PDF', [files['report.pdf'], '--json']),
  alone('credit-usage', 'credits', ['--json']),
  // These need a key even if the service doesn't; any text will do.
  alone('--status', 'the state of the connection', [], both, apiKey ?? 'any'),
  alone('doctor', 'the state of the connection', ['--json'], both, apiKey ?? 'any'),
  alone('doctor', 'an answer to a support request', [unknown], both, apiKey ?? 'any'),
];

/** The others, which are processes of their own: made once. */
const others = () => [
  commands(),
  settings(),
  sessions(),
  interactions(),
  agents(),
  alone('scrape', 'several pages', [url, `${site}/rooms/attic`], ({ cwd }) =>
    readdirSync(join(cwd, '.firecrawl'), { recursive: true }),
  ),
  alone('scrape', 'a screenshot', [url, '--format', 'screenshot', '--json']),
  alone('scrape', 'actions', [
    `${site}/form`,
    '--json',
    '--actions',
    JSON.stringify([
      { type: 'click', selector: '#name' },
      { type: 'write', text: 'Ada' },
      { type: 'click', selector: 'button' },
      { type: 'executeJavascript', script: 'document.title' },
      { type: 'scrape' },
    ]),
  ]),
  alone('scrape', 'JSON by a schema', [url, '--format', 'json', '--schema', schema]),
  alone('scrape', 'a summary', [url, '--summary']),
  alone('scrape', 'an answer to a query', [url, '--query', 'What does a night cost?']),
  alone('scrape', 'what changed', [url, '--format', 'markdown,changeTracking']),
  alone('scrape', 'a profile', [url, '--profile', who]),
  alone('scrape', 'no branding', [url, '--format', 'branding']),
  alone('scrape', 'no redaction', [url, '--redact-pii']),
  alone('crawl', 'a whole site', [site, '--limit', '10', '--wait', '--poll-interval', '0.5']),
  alone('crawl', 'webhooks', [
    url,
    '--limit',
    '1',
    '--wait',
    '--poll-interval',
    '0.5',
    '--webhook',
    `${site}/hook/${who}`,
  ]),
  alone('crawl', 'a site that cannot be reached', [dead, '--wait', '--poll-interval', '0.5']),
  alone('parse', 'a Word document', [files['notes.docx'], '--format', 'markdown,html']),
  alone('search', 'results of the web', ['tide prices', '--limit', '3', '--json']),
  alone('search', 'results with their pages', ['night euros', '--limit', '1', '--scrape', '--json']),
  alone('agent', 'JSON by a schema', [
    'the price of a night',
    '--urls',
    url,
    '--schema',
    schema,
    '--wait',
    '--poll-interval',
    '0.5',
    '--json',
  ]),
  alone('experimental download', 'a whole site', [site, '--limit', '3', '--yes'], ({ cwd }) =>
    readdirSync(join(cwd, '.firecrawl'), { recursive: true }),
  ),
  alone('version', 'the version', []),
  alone('feedback', 'an unknown job', ['scrape', unknown, '--rating', 'good', '--json']),
  alone('search-feedback', 'an unknown job', [unknown, '--rating', 'good', '--valuable-sources', url, '--json']),
  alone('developer', 'no index of its own', ['tide']),
  alone('research search-papers', 'no index of its own', ['tide']),
  alone('research inspect-paper', 'no index of its own', ['arxiv:1706.03762']),
  alone('research related-papers', 'no index of its own', ['arxiv:1706.03762', '--intent', 'tide']),
  alone('research read-paper', 'no index of its own', ['arxiv:1706.03762', '--question', 'tide']),
  alone('research search-github', 'no index of its own', ['tide']),
  alone('monitor create', 'a monitor', [
    '--name',
    'a',
    '--goal',
    'news',
    '--schedule',
    'every 30 minutes',
    '--page',
    url,
  ]),
  alone('monitor list', 'monitors', []),
  ...['get', 'delete', 'run', 'checks'].map((name) => alone(`monitor ${name}`, 'an unknown monitor', [unknown])),
  alone('monitor update', 'an unknown monitor', [unknown, '--name', 'b']),
  alone('monitor check', 'an unknown monitor', [unknown, unknown]),
];

await Promise.all([...some(), ...(apiKey ? others() : [])]);

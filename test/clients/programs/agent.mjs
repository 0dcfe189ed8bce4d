// Calls the service's own tools for agents with mcporter, over both transports, and prints what each call returns, one line
// of JSON a call. Each call is a process of its own, as in a shell.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parsed, print } from './report.mjs';

const { folder, baseUrl, apiKey, dataDir, service, site } = JSON.parse(process.env.CLIENT_INPUT);
const run = promisify(execFile);
const config = join(process.cwd(), 'mcporter.json');
// Keys stay out of the file and of the command line.
const key = ['$', '{WEBDATA_MCP_KEY}'].join('');
const mcpServers = {
  http: { baseUrl: `${baseUrl}/mcp`, headers: { Authorization: `Bearer ${key}` } },
  stdio: {
    command: process.execPath,
    args: [service, 'mcp', '--data-dir', dataDir],
    env: { WEBDATA_MCP_KEY: key },
  },
};
writeFileSync(config, JSON.stringify({ mcpServers, imports: [] }));

/** Runs a command of the client. Returns what it printed. */
async function mcporter(args, ownKey = apiKey) {
  const program = join(folder, 'node_modules/mcporter/dist/cli.js');
  const env = { ...process.env, WEBDATA_MCP_KEY: ownKey };
  const options = { env, maxBuffer: 16 * 1024 * 1024 };
  const { stdout } = await run(process.execPath, [program, '--config', config, ...args], options).catch(
    (error) => error,
  );
  return parsed(stdout);
}

/** Reports what a tool answered, and returns its text. */
async function call(server, method, shows, args, ownKey) {
  const json = JSON.stringify(args);
  const answer = await mcporter(
    ['call', `${server}.${method}`, '--args', json, '--no-oauth', '--output', 'json'],
    ownKey,
  );
  const text = answer.content?.map((part) => part.text).join('\n');
  const failed = answer.error ?? (answer.isError || text === undefined ? (text ?? String(answer)) : undefined);
  print({ method, shows, ...(failed === undefined ? { value: text } : { error: { message: failed } }) });
  return text;
}

async function list(server, transport) {
  const { tools, status } = await mcporter(['list', server, '--json']);
  print({
    method: 'tools/list',
    shows: `the tools over ${transport}`,
    value: { status, names: tools?.map(({ name }) => name) },
  });
}

async function all(server, transport) {
  await Promise.all([
    list(server, transport),
    call(server, 'scrape', `a page as Markdown over ${transport}`, { url: `${site}/prices` }),
    call(server, 'session_list', 'a wrong key', {}, 'wrong-key-0123456789'),
  ]);
  const text = await call(server, 'run_code', `a result of JavaScript over ${transport}`, {
    code: `await page.goto(${JSON.stringify(`${site}/form`)}); await page.fill('#name', 'Ada'); await page.inputValue('#name')`,
  });
  const session = /in session (\w+)/.exec(text)?.[1];
  await call(server, 'page_navigate', `a page as text over ${transport}`, { url: `${site}/prices`, session });
  await call(server, 'session_close', `the end of a session over ${transport}`, { session });
}

await Promise.all([all('http', 'HTTP'), all('stdio', 'standard input and output')]);
print({ methods: ['tools/list', 'scrape', 'session_list', 'run_code', 'page_navigate', 'session_close'] });

import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { findChrome } from '../../src/service/browsers/chrome/find.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { ScriptedAgent } from '../harness/mcp-agent.ts';
import { corpus } from '../harness/page-corpus.ts';
import { call, spawnService } from '../harness/service.ts';
import { startTaskSite } from '../harness/task-site.ts';
import { interleave, median, printTarget, printTimes, round } from './figures.ts';

const folder = join(import.meta.dirname, 'agents');
/** The programs that are measured against. */
export const rivals = {
  playwright: join(folder, 'node_modules', '@playwright', 'mcp', 'cli.js'),
  devTools: join(folder, 'node_modules', 'chrome-devtools-mcp', 'build', 'src', 'bin', 'chrome-devtools-mcp.js'),
};
/** Pages like those of documentation, blogs and shops, in addition to those of the site that agents are tested on. */
const generated = 12;
const rounds = 60;

/** The tokens of a page's snapshot, compared to those of its HTML and of @playwright/mcp, and what a tool call costs over the API. */
export async function run(): Promise<void> {
  const dataDir = temporaryFolder();
  const service = await spawnService(['--data-dir', dataDir, '--spare-browsers', '0']);
  const { baseUrl, apiKey } = service.line;
  const site = await startTaskSite();
  const pages = corpus({ pages: generated, maxBytes: 60_000 }).map(({ html }) => html);
  const others = createServer((request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(pages[Number(request.url?.slice(1))] ?? '');
  });
  await new Promise<void>((resolve) => others.listen(0, '127.0.0.1', resolve));
  const { port } = others.address() as AddressInfo;
  const urls = [
    ...site.paths.map((path) => site.url + path),
    ...pages.map((_, index) => `http://127.0.0.1:${port}/${index}`),
  ];
  const agent = await ScriptedAgent.connect(baseUrl, apiKey ?? '');
  try {
    await measureCalls(agent, baseUrl, apiKey ?? '');
    if (installRivals()) await measureSnapshots(agent, urls, site.paths.length);
  } finally {
    await agent.close();
    site.close();
    others.close();
    others.closeAllConnections();
    service.child.kill('SIGTERM');
    await service.exited;
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

async function measureCalls(agent: ScriptedAgent, baseUrl: string, apiKey: string): Promise<void> {
  await agent.call('run_code', { code: '0' });
  const { body } = await call(baseUrl, apiKey, 'GET', '/v2/browser?status=active');
  const [{ id }] = body.sessions as [{ id: string }];
  const api = () => call(baseUrl, apiKey, 'POST', `/v2/browser/${id}/execute`, { code: '0' });
  const times = await interleave({ execute: api, run_code: () => agent.call('run_code', { code: '0' }) }, rounds);
  printTimes(times);
  const overhead = median(times.run_code ?? []) - median(times.execute ?? []);
  printTarget("a tool call's overhead over the API, in ms", overhead, 'under 5', overhead < 5);
}

async function measureSnapshots(agent: ScriptedAgent, urls: readonly string[], sitePages: number): Promise<void> {
  const countTokens = await tokenCounter();
  const outputs = temporaryFolder();
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [
      rivals.playwright,
      ...['--headless', '--isolated', '--no-sandbox', '--executable-path', findChrome().path ?? ''],
    ],
    // It writes files into its working directory.
    cwd: outputs,
    stderr: 'ignore',
  });
  const playwright = await ScriptedAgent.over(transport);
  const rows: { page: string; html: number; snapshot: number; playwright: number }[] = [];
  try {
    for (const url of urls) {
      await agent.open(url);
      await playwright.call('browser_navigate', { url });
      const html = JSON.parse(await contentOf(agent)) as string;
      rows.push({
        page: url.replace(/^http:\/\/[^/]+/, ''),
        html: countTokens(html),
        snapshot: countTokens(await wholeSnapshot(agent)),
        playwright: countTokens(await playwright.call('browser_snapshot')),
      });
    }
  } finally {
    await playwright.close();
    rmSync(outputs, { recursive: true, force: true });
  }
  console.table(rows);
  const parts = rows.map(({ html, snapshot }) => snapshot / html);
  const ofSite = median(parts.slice(0, sitePages));
  printTarget("a snapshot's tokens, as part of its HTML's, median of the site", ofSite, 'under 0.25', ofSite < 0.25);
  console.log(`the same of generated articles, which are mostly text: ${round(median(parts.slice(sitePages)))}`);
  const most = Math.max(...rows.map(({ snapshot, playwright: theirs }) => snapshot / theirs));
  printTarget("a snapshot's tokens, as part of @playwright/mcp's, at most", most, 'at most 1', most <= 1);
  const half = round(median(rows.map(({ snapshot, playwright: theirs }) => snapshot / theirs)));
  console.log(`a snapshot's tokens, as part of @playwright/mcp's, median: ${half}`);
}

/** Returns the page's HTML as a JSON string, from all parts of the answer. */
async function contentOf(agent: ScriptedAgent): Promise<string> {
  return await wholeAnswer(agent, 'run_code', { code: 'JSON.stringify(await page.content())' }, 'output');
}

async function wholeSnapshot(agent: ScriptedAgent): Promise<string> {
  return await wholeAnswer(agent, 'page_snapshot', {}, 'page');
}

async function wholeAnswer(agent: ScriptedAgent, name: string, args: object, kind: string): Promise<string> {
  const content = (text: string) =>
    new RegExp(`^BEGIN untrusted ${kind} (\\w+)\\n([\\s\\S]*)\\nEND untrusted ${kind} \\1`, 'm').exec(text)?.[2] ?? '';
  const first = await agent.call(name, args);
  const [, parts = '1', answer] = /^Part 1 of (\d+)\. .*"answer":"(a\d+)"/m.exec(first) ?? [];
  const texts = [content(first)];
  for (let part = 2; part <= Number(parts); part++)
    texts.push(content(await agent.call('read_more', { answer, part })));
  return texts.join('');
}

/** Returns what counts the tokens (o200k) of a text. */
export async function tokenCounter(): Promise<(text: string) => number> {
  const tokenizer = join(folder, 'node_modules', 'gpt-tokenizer', 'esm', 'encoding', 'o200k_base.js');
  return ((await import(pathToFileURL(tokenizer).href)) as { countTokens(text: string): number }).countTokens;
}

/** Installs what is measured against, which is not part of setup; skips it when that fails. */
export function installRivals(): boolean {
  if (Object.values(rivals).every((program) => existsSync(program))) return true;
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const args = ['install', '--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund'];
  const { status } = spawnSync(npm, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0)
    console.log('@playwright/mcp and chrome-devtools-mcp could not be installed; their rows are skipped.');
  return status === 0;
}

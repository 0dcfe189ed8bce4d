import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import type { ToolResult } from '../../src/answers/answer.ts';
import { createConnections } from '../../src/service/assistants/mcp/connections.ts';
import { systemClock } from '../../src/service/platform/clock.ts';
import { repository, temporaryFolder } from './folders.ts';

/** What the official suite found out about a server: by scenario, what failed, and how many checks passed. */
export type Findings = Record<string, { passed: number; failed: string[] }>;

interface Check {
  id: string;
  status: string;
  errorMessage?: string;
  details?: { untestable?: boolean };
}

/** Runs the official conformance suite for all that a revision requires of a server. */
export async function runConformance(url: string, revision: string): Promise<Findings> {
  const folder = temporaryFolder();
  try {
    const program = join(repository, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
    const args = [program, 'server', '--url', url, '--requirements', revision, '--output-dir', folder];
    const suite = spawn(process.execPath, args, { stdio: 'ignore', cwd: folder });
    await once(suite, 'exit');
    const findings: Findings = {};
    for (const file of globSync('server-*/checks.json', { cwd: folder })) {
      const scenario = basename(dirname(file)).replace(/^server-(.*?)-\d{4}-\d\d-\d\dT.*$/, '$1');
      const checks = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Check[];
      findings[scenario] = {
        passed: checks.filter(({ status }) => status === 'SUCCESS').length,
        // The suite says what it has no fixture to test.
        failed: checks
          .filter(({ status, details }) => status === 'FAILURE' && !details?.untestable)
          .map(({ id, errorMessage }) => `${id}: ${errorMessage}`),
      };
    }
    return findings;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const silence = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const embedded = (uri: string) => ({ type: 'resource', resource: { uri, mimeType: 'text/plain', text: 'embedded' } });

/** Tools that the suite calls. */
const fixtures: Record<string, unknown[]> = {
  test_simple_text: [{ type: 'text', text: 'simple' }],
  test_image_content: [{ type: 'image', data: pixel, mimeType: 'image/png' }],
  test_audio_content: [{ type: 'audio', data: silence, mimeType: 'audio/wav' }],
  test_embedded_resource: [embedded('test://embedded-resource')],
  test_multiple_content_types: [
    { type: 'text', text: 'mixed' },
    { type: 'image', data: pixel, mimeType: 'image/png' },
    embedded('test://mixed-content-resource'),
  ],
  test_error_handling: [{ type: 'text', text: 'failed' }],
  test_tool_with_progress: [{ type: 'text', text: 'done' }],
};
const resources: Record<string, object> = {
  'test://static-text': { mimeType: 'text/plain', text: 'static' },
  'test://static-binary': { mimeType: 'image/png', blob: pixel },
  'test://template/123/data': { mimeType: 'application/json', text: '{"id":"123"}' },
};
const prompts: Record<string, string[]> = { test_simple_prompt: [], test_prompt_with_arguments: ['arg1', 'arg2'] };

/** The product's connections and protocol with the tools, resources and prompts that the suite asks for. */
export async function startFixtureServer(): Promise<{ url: string; close(): Promise<void> }> {
  const stopping = new AbortController();
  const connections = createConnections({
    tools: {
      list: () =>
        Object.keys(fixtures).map((name) => ({
          name,
          title: name,
          description: name,
          inputSchema: { type: 'object' },
          annotations: { readOnlyHint: true, openWorldHint: false },
        })),
      has: (name) => Object.hasOwn(fixtures, name),
      async call(name, _args, { report }) {
        if (name === 'test_tool_with_progress')
          for (const progress of [0, 50, 100]) report({ progress, total: 100, message: `${progress}` });
        const isError = name === 'test_error_handling';
        return { content: fixtures[name], ...(isError && { isError }) } as ToolResult;
      },
    },
    resources: {
      list: async () => Object.keys(resources).map((uri) => ({ uri, name: uri, mimeType: 'text/plain' })),
      read: async (uri: string) => {
        if (!resources[uri]) throw new Error('There is no such resource.');
        return { uri, ...resources[uri] };
      },
    } as never,
    prompts: {
      list: () =>
        Object.entries(prompts).map(([name, names]) => ({
          name,
          title: name,
          description: name,
          arguments: names.map((argument) => ({ name: argument, description: argument, required: true })),
        })),
      fill: (name, values = {}) => ({ description: name, text: `${name} ${Object.values(values).join(' ')}` }),
    },
    redact: (text: string) => text,
    version: '1.0.0',
    stopping: stopping.signal,
    clock: systemClock,
    load: () => import('../../src/service/assistants/mcp/protocol/protocol.ts'),
  });
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const answer = await connections.handle({
      method: request.method as 'POST',
      headers: new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
      body: chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined,
      caller: { team: 'default', keyLabel: 'suite' },
      signal: gone.signal,
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async close() {
      stopping.abort();
      await connections.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

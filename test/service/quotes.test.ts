import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { embeddedEndpoints, placeHeader, runIdHeader } from '../../src/contract/embedded.ts';
import { type Endpoint, endpoints } from '../../src/contract/endpoints.ts';
import { runLimitHeader } from '../../src/contract/sessions/execution.ts';
import { eventually } from '../harness/eventually.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { longText, longValues, tooLong } from '../harness/long-texts.ts';
import { ScriptedAgent } from '../harness/mcp-agent.ts';
import { sampleOf } from '../harness/sample.ts';
import { type ServiceProcess, spawnService } from '../harness/service.ts';

/** As long as a URL and headers can be. */
const longPart = 'q'.repeat(7_000);
const id = '00000000-0000-4000-8000-000000000000';
const atATime = 8;

interface Request {
  place: string;
  method: string;
  path: string;
  body?: string | FormData;
  headers?: Record<string, string>;
}

/** `longText` in each place of a request to each endpoint. */
function* requests(): Iterable<Request> {
  /** The options of scrapes are those of crawls, batches, searches and monitors too. */
  const seen = new Set<string>();
  for (const [name, entry] of Object.entries<Endpoint>({ ...endpoints, ...embeddedEndpoints })) {
    const { method, params, query, body, takesFile } = entry;
    const path = entry.path.replaceAll(/:\w+/g, id);
    const at = (place: string) => `${name}: ${place}`;
    for (const param of Object.keys(params?.shape ?? {}))
      yield {
        place: at(param),
        method,
        path: entry.path.replace(`:${param}`, longPart).replaceAll(/:\w+/g, id),
        ...(body && { body: '{}' }),
      };
    for (const field of ['unknown', ...Object.keys(query?.shape ?? {})]) {
      yield { place: at(`?${field}=`), method, path: `${path}?${field}=${longPart}`, ...(body && { body: '{}' }) };
    }
    yield { place: at('?qq…'), method, path: `${path}?${longPart}=1`, ...(body && { body: '{}' }) };
    yield { place: at('path'), method, path: `${path}/${longPart}` };
    for (const header of [runIdHeader, placeHeader, runLimitHeader, 'x-idempotency-key', 'accept', 'origin'])
      yield { place: at(header), method, path, headers: { [header]: longPart }, ...(body && { body: '{}' }) };
    if (!body) continue;
    for (const header of ['content-type', 'content-encoding'])
      yield { place: at(header), method, path, headers: { [header]: longPart }, body: '{}' };
    yield { place: at('no JSON'), method, path, body: longText };
    yield { place: at('an unknown field'), method, path, body: JSON.stringify({ [longText]: 'x' }) };
    for (const [place, value] of longValues(body)) {
      // What doesn't fit the schema is refused in the same way everywhere: test/unit/contract/quotes.test.ts tries all of it.
      if (!body.safeParse(value).success) continue;
      const options = place.replace(/^.*scrapeOptions/, 'scrapeOptions');
      if (options.startsWith('scrapeOptions') && seen.has(options)) continue;
      seen.add(options);
      yield { place: at(place), method, path, body: JSON.stringify(value) };
    }
    if (!takesFile) continue;
    const parts: [field: string, fileName: string, type: string][] = [
      [longPart, 'a.html', 'text/html'],
      ['file', longPart, 'text/html'],
      ['file', `a.${longPart}`, longPart],
    ];
    for (const [field, fileName, type] of parts) {
      const form = new FormData();
      form.set(field, new File(['x'], fileName, { type }));
      yield { place: at(`${field.slice(0, 10)} ${fileName.slice(0, 10)}`), method, path, body: form };
    }
    const form = new FormData();
    form.set(longPart, 'x');
    yield { place: at('a field of a form'), method, path, body: form };
  }
}

/** What a response says in words: all of an error, and the warnings of another. */
function saidBy(status: number, body: unknown): unknown {
  if (status >= 400 || typeof body !== 'object' || body === null) return body;
  const { error, warning, warnings, message, data } = body as Record<string, unknown>;
  const { warning: ofData, metadata } = (data ?? {}) as Record<string, unknown>;
  return { error, warning, warnings, message, ofData, ofPage: (metadata as { error?: unknown } | undefined)?.error };
}

describe('a text that quotes a caller', () => {
  let dataDir: string;
  let service: ServiceProcess;
  let site: Server;
  before(async () => {
    dataDir = temporaryFolder();
    service = await spawnService(['--data-dir', dataDir, '--chrome', '/no/such/chrome'], {
      WEBDATA_LOG_LEVEL: 'debug',
    });
    // Errors of a site, and what it redirects to, are quoted too.
    site = createServer(({ url = '/' }, response) => {
      if (url.startsWith('/redirect')) response.writeHead(302, { location: `http://127.0.0.1:1/${longPart}` }).end();
      else if (url.startsWith('/type')) response.writeHead(200, { 'content-type': `image/${longPart}` }).end('x');
      else if (url.startsWith('/encoding')) response.writeHead(200, { 'content-encoding': longPart }).end('x');
      else response.writeHead(404, longPart, { 'content-type': 'text/html' }).end(`<title>${longPart}</title>`);
    });
    await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    service.child.kill();
    await service.exited;
    site.closeAllConnections();
    site.close();
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });

  async function send({ method, path, body, headers }: Request): Promise<{ status: number; body: unknown }> {
    const response = await fetch(service.line.baseUrl + path, {
      method,
      ...(body !== undefined && method !== 'GET' && { body }),
      headers: {
        authorization: `Bearer ${service.line.apiKey}`,
        ...(typeof body === 'string' && { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  }

  it('is a few hundred characters long in the response to any request, whatever it quotes', async () => {
    const waiting = sampleOf([...requests()], 320);
    const problems: string[] = [];
    const jobs: string[] = [];
    const next = async () => {
      for (let request = waiting.pop(); request; request = waiting.pop()) {
        const { status, body } = await send(request);
        problems.push(...tooLong(saidBy(status, body), request.place));
        const { url } = (body ?? {}) as { url?: string };
        if (status === 200 && request.method === 'POST' && url?.includes('/v2/')) jobs.push(new URL(url).pathname);
      }
    };
    await Promise.all(Array.from({ length: atATime }, next));
    assert.notEqual(jobs.length, 0);
    for (const path of jobs) {
      const job = await eventually(async () => {
        const { body } = await send({ place: path, method: 'GET', path });
        assert.notEqual((body as { status?: string }).status, 'scraping');
        return body;
      });
      problems.push(...tooLong(saidBy(200, job), path));
      const { body } = await send({ place: path, method: 'GET', path: `${path}/errors` });
      const { errors = [] } = body as { errors?: { error?: string }[] };
      problems.push(...errors.flatMap(({ error }) => tooLong(error, `${path}/errors`)));
    }
    assert.deepEqual(problems, []);
  });

  it('is as long when it quotes a site', async () => {
    const { port } = site.address() as AddressInfo;
    const problems: string[] = [];
    for (const path of ['/redirect', '/type', '/encoding', '/missing'])
      for (const part of ['', `/${longPart}`]) {
        const url = `http://127.0.0.1:${port}${path}${part}`;
        const body = JSON.stringify({ url, timeout: 20_000 });
        const answer = await send({ place: path, method: 'POST', path: '/v2/scrape', body });
        problems.push(...tooLong(saidBy(answer.status, answer.body), path));
      }
    assert.deepEqual(problems, []);
  });

  it('is as long in what an agent is told', async () => {
    const agent = await ScriptedAgent.connect(service.line.baseUrl, service.line.apiKey ?? '');
    const problems: string[] = [];
    const refused = async (place: string, call: Promise<unknown>) =>
      problems.push(
        ...tooLong(
          await call.then(
            (answer) => (answer as { content?: unknown }).content,
            (error: Error) => error.message,
          ),
          place,
        ),
      );
    await refused('a tool', agent.client.callTool({ name: longText }));
    await refused('a prompt', agent.client.getPrompt({ name: longText }));
    await refused('a resource', agent.client.readResource({ uri: `webdata://${longText}` }));
    await refused('a run', agent.client.readResource({ uri: `webdata://run/${longText}` }));
    const { tools } = await agent.client.listTools();
    for (const { name, inputSchema } of sampleOf(tools, 15)) {
      await refused(`${name}: a key`, agent.client.callTool({ name, arguments: { [longText]: 1 } }));
      const fields = Object.entries(inputSchema.properties ?? {}) as [string, { type?: string }][];
      const example = Object.fromEntries(fields.map(([field]) => [field, 'x']));
      for (const [field] of fields) {
        for (const value of [
          longText,
          longPart,
          `http://127.0.0.1:1/${longPart}`,
          `/${longPart}`,
          [longText],
          { x: longText },
        ]) {
          await refused(`${name}: ${field}`, agent.client.callTool({ name, arguments: { [field]: value } }));
          if (field !== 'code')
            await refused(
              `${name}: ${field}`,
              agent.client.callTool({ name, arguments: { ...example, [field]: value } }),
            );
        }
      }
    }
    await agent.close();
    assert.deepEqual(problems, []);
  });

  it('is as long in what a program says that does not start', async () => {
    const lines = [
      [`--${longText}`],
      [longText],
      ['--port', longText],
      ['--data-dir', `/dev/null/${longText}`],
      ['--webhook-secret-file', `/${longText}`],
      ['keys', 'list', `--${longText}`],
      ['keys', 'revoke', longText, '--data-dir', dataDir],
    ];
    const problems: string[] = [];
    for (const args of lines) {
      const said = await spawnService(args).then(
        () => assert.fail('It should not start.'),
        (error: Error) => error.message,
      );
      problems.push(...tooLong(said, args[0]?.slice(0, 20)));
    }
    assert.deepEqual(problems, []);
  });

  it('is as long in the log', () => {
    const lines = service.stderr().split('\n');
    assert.ok(lines.length > 500);
    assert.deepEqual(
      lines.flatMap((line) => (line.startsWith('{') ? tooLong(JSON.parse(line), 'log') : tooLong(line, 'log'))),
      [],
    );
  });
});

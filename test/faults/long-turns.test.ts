import assert from 'node:assert/strict';
import { on } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { WebSocket } from 'ws';
import { embeddedEndpoints, linkPath } from '../../src/contract/embedded.ts';
import { type Endpoint, endpoints } from '../../src/contract/endpoints.ts';
import { limits } from '../../src/contract/limits.ts';
import { mcpPath } from '../../src/contract/mcp/mcp.ts';
import { largeBody } from '../../src/service/platform/http/large-bodies.ts';
import { eventually } from '../harness/eventually.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { isWhole, sampleOf } from '../harness/sample.ts';
import { call, type ServiceProcess } from '../harness/service.ts';
import { measureTurns, spawnMeasured } from '../harness/turn-lengths.ts';

/** How often a request is repeated before its turn counts as too long: collections of garbage aren't its fault. */
const attempts = 4;
const only = process.env.WEBDATA_FAULT_POINTS_ONLY?.split(',');
const id = '00000000-0000-4000-8000-000000000000';

/** A label of different characters, whose conversion to ASCII takes a while. */
const longName = String.fromCodePoint(
  ...Array.from({ length: 4_900 }, (_, index) => 0x4e00 + ((index * 7_919) % 20_900)),
);

/** Returns JSON of about as many bytes, with a text, a list or an object as the value of a field. */
const values: Record<string, (bytes: number) => string> = {
  'a long text': (bytes) => `"${'é'.repeat(bytes / 2)}"`,
  'spaces and quotes': (bytes) => `"${' \\"'.repeat(bytes / 3)}"`,
  'a URL with a long host name': () => `"http://${longName}.test/"`,
  'a URL of slashes': () => `"https://site.test/${'/'.repeat(8_000)}page"`,
  'a list of URLs': (bytes) =>
    `[${Array.from({ length: bytes / 40 }, (_, index) => `"https://host-${String(index).padStart(6, '0')}.test/page/"`).join()}]`,
  'a list of numbers': (bytes) => `[${'1,'.repeat(bytes / 2 - 2)}1]`,
  'a list of objects': (bytes) => `[${'{"type":"x"},'.repeat(bytes / 13 - 1)}{}]`,
  'an object of many fields': (bytes) =>
    `{${Array.from({ length: bytes / 16 }, (_, index) => `"field${String(index).padStart(6, '0')}":0`).join()}}`,
  'deep lists': (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  'deep objects': (bytes) => `${'{"a":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}`,
};

interface Attack {
  name: string;
  method: string;
  path: string;
  body(): string | FormData;
  headers?: Record<string, string>;
}

/** A call of a tool, in a request that stands alone, with any JSON as one of its arguments. */
const agentCall = {
  headers: {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'scrape',
  },
  body(json: string) {
    const of = 'io.modelcontextprotocol';
    const meta = `{"${of}/protocolVersion":"2026-07-28","${of}/clientInfo":{"name":"test","version":"1"},"${of}/clientCapabilities":{}}`;
    const params = `{"_meta":${meta},"name":"scrape","arguments":{"url":"https://site.test/","formats":${json}}}`;
    return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
  },
};

function upload(options: string): FormData {
  const form = new FormData();
  form.append('options', options);
  form.append('file', new Blob(['Words']), 'page.txt');
  return form;
}

/** The largest body of every route that takes one, and the longest value of each of its fields; the path of agents, and uploads. */
function* attacks(): Iterable<Attack> {
  const table: Record<string, Endpoint> = { ...endpoints, ...embeddedEndpoints };
  for (const [what, value] of Object.entries(values)) {
    for (const size of [largeBody, limits.body]) {
      const agent = { name: `agent, ${size / 1024} KiB, ${what}`, method: 'POST', path: mcpPath };
      const room = size - 1000;
      yield { ...agent, body: () => value(room) };
      yield { ...agent, name: `${agent.name} as an argument`, ...agentCall, body: () => agentCall.body(value(room)) };
    }
  }
  for (const [route, { method, path: pattern, body, bodyLimit = limits.body, takesFile }] of Object.entries(table)) {
    if (!body) continue;
    const path = pattern.replaceAll(/:\w+/g, id);
    const shape = Object.keys(body.shape);
    for (const [what, value] of Object.entries(values)) {
      for (const size of [largeBody, bodyLimit]) {
        const room = size - 1000;
        const name = `${route}, ${size / 1024} KiB`;
        yield { name: `${name}, ${what}`, method, path, body: () => value(room) };
        for (const field of shape) {
          const json = () => `{"url":"https://site.test/",${JSON.stringify(field)}:${value(room)}}`;
          yield { name: `${name}, ${what} as ${field}`, method, path, body: json };
          if (takesFile)
            yield { name: `${name}, upload, ${what} as ${field}`, method, path, body: () => upload(json()) };
        }
      }
    }
  }
}

/** Files with logins of a megabyte: mistakes, many cookies, and domains with many labels. */
const logins: Record<string, () => string> = {
  'cookies that are none': () => `[${'{},'.repeat(340_000)}{}]`,
  'origins that are none': () => `{"cookies":[],"origins":[${'{},'.repeat(340_000)}{}]}`,
  'values of an origin that are none': () =>
    `{"cookies":[],"origins":[{"origin":"http://a","localStorage":[${'{},'.repeat(340_000)}{}]}]}`,
  'cookies of domains with many labels': () =>
    JSON.stringify(
      Array.from({ length: 3_000 }, (_, index) => ({ name: '', value: '', domain: `${'a.'.repeat(120)}${index}` })),
    ),
  'cookies of many domains': () =>
    Array.from({ length: 40_000 }, (_, index) => `${index}\tTRUE\t\tTRUE\t0\t`).join('\n'),
};

const sitemapBytes = 12 * 1024 * 1024;
const robotsBytes = 500 * 1024;
const filled = (head: string, part: string, bytes: number) => head + part.repeat((bytes - head.length) / part.length);
const sitemap = (head: string, part: string) => ({ '/sitemap.xml': filled(head, part, sitemapBytes) });
const robots = (rule: string) => ({ '/robots.txt': filled('User-agent: *\n', `Disallow: /${rule}\n`, robotsBytes) });
const links = (element: (url: string) => string) => (origin: string) =>
  Array.from({ length: 100_000 }, (_, index) => element(`${origin}/page/${index}`)).join('');

/** Sites that are costly to read: their texts by path, or a function that returns one for an origin. */
const costly: Record<string, Record<string, string | ((origin: string) => string)>> = {
  'a sitemap of many URLs': { '/sitemap.xml': links((url) => `<loc>${url}</loc>`) },
  'a sitemap of unclosed tags': sitemap('<urlset>', '<loc>'),
  'a sitemap of one unfinished tag': sitemap('<urlset><', 'a'),
  'a list of no URLs': sitemap('', 'x y\n'),
  'a feed of unfinished sections': sitemap('<rss><item>', '<link><![CDATA['),
  'a feed of one link': sitemap('<rss><item><link>https://a.test/', '&amp;'),
  'a page of many links': { '/': links((url) => `<a href="${url}">page</a> `) },
  'a page of links with many slashes': {
    '/': (origin) =>
      Array.from({ length: 1_000 }, (_, at) => `<a href="${origin}/page${'/'.repeat(3_900)}${at}">page</a> `).join(''),
  },
  'a sitemap of long host names': sitemap('<urlset>', `<url><loc>http://${longName}.test/</loc></url>`),
  'rules that nearly match': robots(`*${'a'.repeat(38)}b`),
  'rules of many pieces': robots('*a'.repeat(4000)),
  'rules of escapes': robots('%41'.repeat(15)),
};

describe('one request', function () {
  if (isWhole) this.timeout(50 * 60_000);
  let dataDir: string;
  let service: ServiceProcess;
  let site: Server;
  let texts: (typeof costly)[string] = {};
  before(async () => {
    dataDir = temporaryFolder();
    service = await spawnMeasured(dataDir);
    site = createServer(({ url = '/', headers }, response) => {
      const text = texts[url] ?? '<main><h1>Page</h1><p>Words of it.</p></main>';
      response
        .writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' })
        .end(gzipSync(typeof text === 'string' ? text : text(`http://${headers.host}`)));
    });
    await new Promise<void>((resolve) => void site.listen(0, '0.0.0.0', resolve));
  });
  after(async () => {
    service.child.kill('SIGKILL');
    await service.exited;
    site.closeAllConnections();
    site.close();
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });

  const measure = () => measureTurns(service);

  const send = (method: string, path: string, body: string | FormData, headers: Record<string, string> = {}) =>
    fetch(service.line.baseUrl + path, {
      method,
      body,
      headers: {
        authorization: `Bearer ${service.line.apiKey}`,
        ...(typeof body === 'string' && { 'content-type': 'application/json' }),
        ...headers,
      },
    }).then(async (response) => {
      await response.arrayBuffer();
      return response.status;
    });

  it('TRN-01: keeps nobody else waiting, whatever its body is (TRN-02)', async () => {
    const all = [...attacks()].filter(({ name }) => only?.some((part) => name.includes(part)) ?? true);
    const chosen = sampleOf(all, 8);
    const slow: string[] = [];
    let longest = 0;
    for (const { name, method, path, body, headers } of chosen) {
      const text = body();
      let shortest = Number.POSITIVE_INFINITY;
      for (let attempt = 0; attempt < attempts; attempt++) {
        await measure();
        const status = await send(method, path, text, headers).catch((error: Error) =>
          assert.fail(`${name}: ${error.cause ?? error}, exit code ${service.child.exitCode}`),
        );
        assert.ok(status < 500 || status === 501 || status === 503, `${name}: ${status}`);
        assert.notEqual(status, 413, `${name}: the body was not read`);
        const { turn, bound } = await measure();
        longest = Math.max(longest, turn);
        shortest = Math.min(shortest, turn / bound);
        if (shortest <= 1) break;
      }
      if (shortest > 1) slow.push(`${name}: ${shortest.toFixed(1)} times as long as allowed`);
    }
    console.log(`      ${chosen.length} of ${all.length} bodies, longest turn ${Math.round(longest)} ms`);
    assert.deepEqual(slow, []);
  });

  it('TRN-21: may be for a file with logins', async () => {
    const slow: string[] = [];
    for (const [name, content] of Object.entries(logins)) {
      let shortest = Number.POSITIVE_INFINITY;
      for (let attempt = 0; attempt < attempts && shortest > 1; attempt++) {
        await measure();
        const status = await send('POST', '/embedded/logins/read', JSON.stringify({ content: content() }));
        assert.ok(status === 200 || status === 400, `${name}: ${status}`);
        const { turn, bound } = await measure();
        shortest = Math.min(shortest, turn / bound);
      }
      if (shortest > 1) slow.push(`${name}: ${shortest.toFixed(1)} times as long as allowed`);
    }
    assert.deepEqual(slow, []);
  });

  it('TRN-04: may be for a site that is costly to read', async () => {
    const { port } = site.address() as AddressInfo;
    const slow: string[] = [];
    let hosts = 0;
    const all = Object.entries(costly);
    for (const [name, pages] of sampleOf(all, 2)) {
      texts = pages;
      let shortest = Number.POSITIVE_INFINITY;
      for (let attempt = 0; attempt < attempts && shortest > 1; attempt++) {
        // What was read of a site is kept for the next request.
        const origin = `http://127.9.0.${++hosts}:${port}`;
        await measure();
        const readPages = 3;
        await send('POST', '/v2/map', JSON.stringify({ url: `${origin}/`, limit: 100_000, readPages, search: 'page' }));
        const url = `${origin}/${'a'.repeat(4000)}`;
        const options = { sitemap: 'skip', limit: 1, ignoreQueryParameters: true };
        const started = await call(service.line.baseUrl, service.line.apiKey ?? '', 'POST', '/v2/crawl', {
          url,
          ...options,
        });
        const path = `/v2/crawl/${started.body.id}`;
        await eventually(async () => {
          const { body } = await call(service.line.baseUrl, service.line.apiKey ?? '', 'GET', path);
          assert.notEqual(body.status, 'scraping');
        });
        const { turn, bound } = await measure();
        shortest = Math.min(shortest, turn / bound);
      }
      if (shortest > 1) slow.push(`${name}: ${shortest.toFixed(1)} times as long as allowed`);
    }
    texts = {};
    assert.deepEqual(slow, []);
  });

  it('TRN-07: may be a large message of a CDP client, or ask for one', async () => {
    const { body } = await call(service.line.baseUrl, service.line.apiKey ?? '', 'POST', '/v2/browser', {});
    const socket = new WebSocket(body.cdpUrl, { perMessageDeflate: false, maxPayload: 256 * 1024 * 1024 });
    try {
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      let lastId = 0;
      const ask = async (method: string, params: string, sessionId?: string) => {
        const id = ++lastId;
        socket.send(
          `{"id":${id},"method":"${method}","params":${params}${sessionId ? `,"sessionId":"${sessionId}"` : ''}}`,
        );
        for await (const [data] of on(socket, 'message') as AsyncIterable<[Buffer]>)
          if (String(data.subarray(0, 30)).startsWith(`{"id":${id},`)) return data;
        throw new Error('The socket was closed.');
      };
      const { targetInfos } = JSON.parse(String(await ask('Target.getTargets', '{}'))).result;
      const { targetId } = targetInfos.find(({ type }: { type: string }) => type === 'page');
      const attach = `{"targetId":"${targetId}","flatten":true}`;
      const { sessionId } = JSON.parse(String(await ask('Target.attachToTarget', attach))).result;
      const megabytes = (count: number) => count * 1024 * 1024;
      const sent = Object.entries(values)
        .filter(([name]) => !name.startsWith('deep'))
        .map(([name, value]): [string, () => string, number] => {
          const bytes = name === 'a long text' ? megabytes(90) : megabytes(15);
          return [`${name}, sent`, () => `{"expression":"1","unknown":${value(bytes)}}`, 0];
        });
      const asked = (expression: string, bytes: number): [string, () => string, number] => [
        expression,
        () => `{"expression":${JSON.stringify(expression)},"returnByValue":true}`,
        bytes,
      ];
      const answers = [
        asked(`'x'.repeat(${megabytes(90)})`, megabytes(90)),
        asked('Array(5e6).fill(1)', 10e6),
        asked('Object.fromEntries(Array.from({ length: 5e5 }, (_, at) => ["field" + at, 0]))', 5e6),
      ];
      const slow: string[] = [];
      for (const [name, params, bytes] of [...sampleOf(sent, 2), ...sampleOf(answers, 2)]) {
        let shortest = Number.POSITIVE_INFINITY;
        for (let attempt = 0; attempt < attempts && shortest > 1; attempt++) {
          await measure();
          const answer = await ask('Runtime.evaluate', params(), sessionId);
          assert.ok(answer.length > bytes, `${name}: ${String(answer.subarray(0, 300))}`);
          const { turn, bound } = await measure();
          shortest = Math.min(shortest, turn / bound);
        }
        if (shortest > 1) slow.push(`${name}: ${shortest.toFixed(1)} times as long as allowed`);
      }
      assert.deepEqual(slow, []);
    } finally {
      socket.terminate();
      await call(service.line.baseUrl, service.line.apiKey ?? '', 'DELETE', `/v2/browser/${body.id}`);
    }
  });

  it('TRN-19: may be a large message of a window', async () => {
    const { baseUrl, apiKey } = service.line;
    const headers = { authorization: `Bearer ${apiKey}` };
    const window = new WebSocket(baseUrl.replace('http', 'ws') + linkPath, { headers, perMessageDeflate: false });
    try {
      await new Promise((resolve, reject) => window.once('open', resolve).once('error', reject));
      const slow: string[] = [];
      for (const [name, value] of sampleOf(Object.entries(values), 2)) {
        // Somewhat more than asked for, in some cases.
        const text = `{"type":"hello","window":"test","unknown":${value(1_000_000)}}`;
        let shortest = Number.POSITIVE_INFINITY;
        for (let attempt = 0; attempt < attempts && shortest > 1; attempt++) {
          await measure();
          window.send(text);
          // Welcomed in their order; one that is nested too deep is not.
          window.send('{"type":"hello","window":"last"}');
          let welcomes = name.startsWith('deep') ? 1 : 0;
          for await (const [data] of on(window, 'message') as AsyncIterable<[Buffer]>)
            if (String(data).startsWith('{"type":"welcome"') && ++welcomes === 2) break;
          const { turn, bound } = await measure();
          shortest = Math.min(shortest, turn / bound);
        }
        if (shortest > 1) slow.push(`${name}: ${shortest.toFixed(1)} times as long as allowed`);
      }
      assert.deepEqual(slow, []);
    } finally {
      window.terminate();
    }
  });

  it('TRN-03: may be a batch of as many hosts as are allowed, which runs beside the work of others', async () => {
    const { port } = site.address() as AddressInfo;
    const urls = Array.from(
      { length: limits.batchUrls.max },
      (_, index) => `http://127.${1 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}:${port}/`,
    );
    await measure();
    const started = await call(service.line.baseUrl, service.line.apiKey ?? '', 'POST', '/v2/batch/scrape', { urls });
    assert.equal(started.status, 200, JSON.stringify(started.body).slice(0, 300));
    const accepted = await measure();
    const path = `/v2/batch/scrape/${started.body.id}`;
    await eventually(async () => {
      const { body } = await call(service.line.baseUrl, service.line.apiKey ?? '', 'GET', `${path}?limit=1`);
      assert.equal(body.total, urls.length);
      assert.ok(body.completed >= 200);
    });
    const run = await measure();
    assert.equal((await call(service.line.baseUrl, service.line.apiKey ?? '', 'DELETE', path)).status, 200);
    console.log(
      `      longest turns: ${Math.round(accepted.turn)} ms to accept it, ${Math.round(run.turn)} ms while it ran`,
    );
    for (const { turn, bound } of [accepted, run]) assert.ok(turn <= bound, `${turn} ms of ${bound} ms`);
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import type * as z from 'zod';
import { embeddedEndpoints } from '../../src/contract/embedded.ts';
import { type Endpoint, endpoints } from '../../src/contract/endpoints.ts';
import { errorBody } from '../../src/contract/errors.ts';
import { linking } from '../harness/crawl-jobs.ts';
import { type FaultySite, startFaultySite } from '../harness/faulty-site.ts';
import { repository } from '../harness/folders.ts';
import { type Fields, fuzz, hostileText, mutated, nearly } from '../harness/fuzzing.ts';
import { pdfOf } from '../harness/pdf.ts';
import { startTestService, type TestService, testKey } from '../harness/service.ts';

const table: Readonly<Record<string, Endpoint>> = { ...endpoints, ...embeddedEndpoints };
const { paths } = JSON.parse(readFileSync(join(repository, 'docs', 'openapi.json'), 'utf8'));
const everywhere = ['200', '400', '401', '403', '404', '405', '413', '414', '415', '431', '408'];

/** Statuses that an endpoint may return. */
function declared({ path, method, errors }: Endpoint): string[] {
  const documented = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]?.responses;
  return documented ? Object.keys(documented) : [...everywhere, ...Object.keys(errors)];
}

describe('the service', () => {
  let service: TestService;
  let site: FaultySite;
  let fields: Fields;
  let ids: Record<string, string[]>;
  before(async () => {
    site = await startFaultySite();
    site.answer('/', linking('Home', '/a', '/b'));
    for (const path of ['/a', '/b']) site.answer(path, linking(path));
    // Without Chrome, what needs one is refused at once.
    service = await startTestService({ chromePath: '/no/such/chrome' });
    const { body } = await service.call('POST', '/v2/scrape', { url: site.baseUrl });
    const job = (await service.call('POST', '/v2/crawl', { url: site.baseUrl, limit: 3 })).body.id;
    ids = { jobId: [body.data.metadata.scrapeId, job], sessionId: [job], sourceId: [job] };
    const { port } = new URL(site.baseUrl);
    const url = fc.constantFrom(
      site.baseUrl,
      `${site.baseUrl}/a`,
      `${site.baseUrl}/%00?\u{1f98a}=\ud800#x`,
      `http://user:pass@127.0.0.1:${port}/`,
      `http://127.0.0.1:${service.port}/v2/browser`,
      'http://127.0.0.1:1/',
      'http://[::1]:1/',
      'http://169.254.169.254/',
      'javascript:alert(1)',
      'file:///etc/passwd',
      'http://',
      'http://[',
      `${site.baseUrl}/${'x'.repeat(9000)}`,
    );
    const id = fc.oneof(fc.constantFrom(...Object.values(ids).flat()), fc.uuid(), hostileText);
    fields = {
      url,
      urls: fc.array(fc.oneof(url, hostileText), { maxLength: 4 }),
      webhook: fc.oneof(url, fc.record({ url })),
      id,
      jobId: id,
      crawlId: id,
      appendToId: id,
      // What would make a request wait for as long as it asks.
      timeout: fc.constantFrom(1000, 2000, 3000, 30, 1, 0, -1, 'x'),
      delay: fc.constantFrom(0, 0, 0, -1, 'x'),
      nonce: fc.constantFrom('0'.repeat(64), 'x'),
      limit: fc.constantFrom(1, 2, 3, 0, 'x', 1e9),
      prompt: hostileText,
      folder: fc.constantFrom('/no/such/folder', '', '\0', '/a'),
    };
  });
  after(async () => {
    await service.close();
    await site.close();
  });

  /** Files of several kinds, some of them damaged, as multipart requests with options. */
  function uploads(options: z.ZodType) {
    const name = fc.oneof(
      fc.constantFrom('a.html', 'a.pdf', 'a.docx', 'a.xlsx', 'a.txt', 'a'),
      fc.string({ maxLength: 20 }),
    );
    const file = fc.oneof(
      mutated(Buffer.from(linking('Home', '/a'))),
      mutated(Buffer.from(pdfOf('Words'))),
      mutated(Buffer.from('PK\u0003\u0004')),
      fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
    );
    const type = 'multipart/form-data; boundary=edge';
    return fc
      .tuple(name, file, nearly(options, fields), fc.boolean())
      .chain(([filename, content, value, damaged]) => {
        const quoted = filename.replaceAll(/["\\\r\n]/g, '_');
        const part = (head: string) => `--edge\r\nContent-Disposition: form-data; ${head}\r\n\r\n`;
        const whole = Buffer.concat([
          Buffer.from(`${part('name="options"')}${JSON.stringify(value)}\r\n`),
          Buffer.from(part(`name="file"; filename="${quoted}"`)),
          content,
          Buffer.from('\r\n--edge--\r\n'),
        ]);
        return damaged ? mutated(whole) : fc.constant(whole);
      })
      .map((body) => ({ type, body }));
  }

  /** Any request to an endpoint. */
  function requestOf([name, entry]: [string, Endpoint]) {
    const { path, aliases = [], params, query, body } = entry;
    const text = (value: unknown) =>
      encodeURIComponent(
        (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 9000).toWellFormed(),
      );
    const filled = fc
      .constantFrom(path, ...aliases)
      .chain((template) =>
        params
          ? fc
              .oneof(fc.constantFrom(...(ids[Object.keys(params.shape)[0] ?? ''] ?? [''])), fc.uuid(), hostileText)
              .map((id) => template.replace(/:\w+/, () => text(id)))
          : fc.constant(template),
      );
    const search = query
      ? nearly(query, fields).map((values) =>
          values && typeof values === 'object'
            ? `?${Object.entries(values)
                .map(([key, value]) => `${text(key)}=${text(value)}`)
                .join('&')}`
            : `?${text(values)}`,
        )
      : fc.constantFrom('', '?', '?x=1', '?__proto__=1');
    const json = 'application/json';
    const sent: fc.Arbitrary<{ type: string; body: string | Buffer<ArrayBuffer> } | undefined> =
      body && entry.method !== 'GET'
        ? fc.oneof(
            {
              weight: 12,
              arbitrary: nearly(body, fields).map((value) => ({ type: json, body: JSON.stringify(value) })),
            },
            {
              weight: 1,
              arbitrary: nearly(body, fields)
                .chain((value) => mutated(Buffer.from(JSON.stringify(value) ?? '')))
                .map((bytes) => ({ type: json, body: bytes })),
            },
            { weight: 1, arbitrary: fc.constant(undefined) },
            ...(entry.takesFile ? [{ weight: 14, arbitrary: uploads(body) }] : []),
          )
        : fc.constant(undefined);
    const header = fc.tuple(
      fc.constantFrom(
        'x-webdata-run',
        'x-webdata-place',
        'x-idempotency-key',
        'accept',
        'content-encoding',
        'expect-x',
      ),
      fc.oneof(fc.uuid(), fc.string({ maxLength: 30 }), fc.constant('x'.repeat(2000))),
    );
    return fc.record({
      name: fc.constant(name),
      path: fc.tuple(filled, search).map((parts) => parts.join('')),
      sent,
      header: fc.option(header, { freq: 10, nil: undefined }),
    });
  }

  it('answers any request to any endpoint as the contract says, and never with an internal error', async () => {
    const cases = fc.oneof(...Object.entries(table).map(requestOf));
    await fuzz(30, cases, async ({ name, path, sent, header }) => {
      const entry = table[name] ?? assert.fail(name);
      const response = await fetch(service.baseUrl + path, {
        method: entry.method,
        ...(sent && { body: sent.body }),
        headers: {
          authorization: `Bearer ${testKey}`,
          ...(sent && { 'content-type': sent.type }),
          ...(header && /^[\x20-\x7e]*$/.test(header[1]) && { [header[0]]: header[1] }),
        },
      });
      const text = await response.text();
      const message = () =>
        `${entry.method} ${path.slice(0, 300)} ${String(sent?.body).slice(0, 500)}: ${response.status} ${text.slice(0, 500)}`;
      const value = JSON.parse(text);
      assert.notEqual(value.code, 'UNKNOWN_ERROR', message());
      assert.ok(declared(entry).includes(String(response.status)), message());
      const checked = (response.ok ? entry.response : errorBody).safeParse(value);
      assert.ok(checked.success, `${message()}: ${JSON.stringify(checked.error?.issues)}`);
    });
    assert.equal((await service.call('GET', '/v2/browser')).status, 200);
  });

  it('answers any bytes with a refusal, and serves the next request', async () => {
    const head = (lines: string[]) => Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
    const host = `Host: 127.0.0.1:${service.port}`;
    const key = `Authorization: Bearer ${testKey}`;
    const body = JSON.stringify({ url: site.baseUrl });
    const requests = [
      head(['GET /v2/browser HTTP/1.1', host, key]),
      Buffer.concat([
        head([
          'POST /v2/scrape HTTP/1.1',
          host,
          key,
          'Content-Type: application/json',
          `Content-Length: ${body.length}`,
        ]),
        Buffer.from(body),
      ]),
      head([
        'POST /v2/map HTTP/1.1',
        host,
        key,
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
        '',
        '3',
        '{}x',
        '0',
      ]),
      head([
        'GET /embedded/link HTTP/1.1',
        host,
        key,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      ]),
      head(['GET /live/x/y HTTP/1.1', host, 'Connection: Upgrade', 'Upgrade: websocket']),
    ];
    await fuzz(6, fc.oneof(...requests.map(mutated), fc.uint8Array({ maxLength: 300 })), async (bytes) => {
      const answer = await exchange(service.port, bytes);
      for (const [, status] of answer.matchAll(/HTTP\/1\.1 (\d{3}) /g))
        assert.notEqual(status, '500', answer.slice(0, 500));
      assert.match(answer, /^(?:HTTP\/1\.1 \d{3} |$)/);
    });
    assert.equal((await service.call('GET', '/v2/browser')).status, 200);
  });
});

/** Sends bytes and the end of the connection, and returns what comes back until it closes, or within a short time. */
function exchange(port: number, bytes: Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const done = () => {
      socket.destroy();
      resolve(text);
    };
    const timer = setTimeout(done, 300);
    socket.setEncoding('latin1').on('data', (piece: string) => {
      text += piece;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      done();
    });
    socket.end(bytes);
  });
}

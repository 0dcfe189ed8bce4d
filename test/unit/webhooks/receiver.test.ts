import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { signatureOf } from '../../../src/contract/webhooks/webhook-signature.ts';
import { eventually } from '../../harness/eventually.ts';
import { headEnd, sendRaw, statusOf } from '../../harness/raw-http.ts';
import {
  deliveryJson,
  startTestReceiver,
  type TestReceiver,
  type TestReceiverOptions,
  testSecret,
  wideBounds,
} from '../../harness/webhook-receiver.ts';
import { publishedVectors, wrongForms } from '../../harness/webhook-vectors.ts';

const cap = 10 * 1024 * 1024;

describe('the webhook receiver', () => {
  const open: TestReceiver[] = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });
  const start = async (options?: TestReceiverOptions) => {
    const receiver = await startTestReceiver(options);
    open.push(receiver);
    return receiver;
  };
  const nothingStored = async ({ store }: TestReceiver) => assert.equal(await store.count(), 0);

  describe('verification', () => {
    it('WHK-01: accepts a delivery with the right signature, once', async () => {
      for (const { secret } of publishedVectors) {
        const { post, store } = await start({ secrets: [secret] });
        const body = deliveryJson();
        const answer = await post(body, { 'x-service-signature': signatureOf(Buffer.from(body), secret) });
        assert.deepEqual(answer, { status: 200, body: '{"success":true}' });
        const [stored] = await store.list({ limit: 10 });
        assert.equal(await store.count(), 1);
        assert.deepEqual(
          [stored?.verification, stored?.type, stored?.pageUrl, stored?.hasMarkdown],
          ['verified', 'crawl.page', 'https://shop.test/pricing', true],
        );
      }
    });

    it("WHK-01: verifies the published signatures, although their bodies aren't deliveries", async () => {
      for (const { secret, body, hex } of publishedVectors) {
        const { post, store } = await start({ secrets: [secret] });
        assert.equal((await post(body, { 'x-service-signature': `sha256=${hex}` })).status, 400);
        assert.equal((await post(`${body} `, { 'x-service-signature': `sha256=${hex}` })).status, 401);
        assert.equal(await store.count(), 0);
      }
    });

    it('WHK-02: rejects any flipped bit of the body or the signature', async () => {
      const receiver = await start();
      const body = Buffer.from(deliveryJson());
      const signature = signatureOf(body, testSecret);
      for (let index = 0; index < body.length; index += 7) {
        const changed = Buffer.from(body);
        changed[index] = (changed[index] ?? 0) ^ 1;
        assert.equal((await receiver.post(changed, { 'x-service-signature': signature })).status, 401);
      }
      for (let index = 7; index < signature.length; index++) {
        const digit = (Number.parseInt(signature[index] ?? '', 16) ^ 8).toString(16);
        const changed = signature.slice(0, index) + digit + signature.slice(index + 1);
        assert.equal((await receiver.post(body, { 'x-service-signature': changed })).status, 401);
      }
      receiver.rules.secrets = [testSecret.toLowerCase()];
      assert.equal((await receiver.post(body)).status, 401);
      await nothingStored(receiver);
    });

    it('WHK-03: accepts exactly one form of the signature', async () => {
      const receiver = await start();
      const body = deliveryJson();
      const hex = signatureOf(Buffer.from(body), testSecret).slice(7);
      for (const form of wrongForms(hex)) {
        const bytes = Buffer.concat([
          Buffer.from(
            `POST /webhooks HTTP/1.1\r\nhost: 127.0.0.1:${receiver.port}\r\nconnection: close\r\n` +
              `content-type: application/json\r\ncontent-length: ${body.length}\r\nx-service-signature:${form}\r\n\r\n`,
          ),
          Buffer.from(body),
        ]);
        const status = statusOf(await sendRaw(receiver.port, bytes));
        const trimmed = form.trim();
        // White space around a value is not part of it (RFC 9110); a header longer than 16 KB is refused by itself.
        const expected = trimmed === `sha256=${hex}` ? 200 : form.length > 16_000 ? 431 : 401;
        if (form.endsWith('\n')) assert.ok([200, 400].includes(status), `${status}`);
        else assert.equal(status, expected, JSON.stringify(form.slice(0, 100)));
      }
      const good = `x-service-signature: sha256=${hex}\r\n`;
      const bad = `x-service-signature: sha256=${'0'.repeat(64)}\r\n`;
      for (const two of [good + bad, bad + good, good + good]) {
        const head = `POST /webhooks HTTP/1.1\r\nhost: 127.0.0.1:${receiver.port}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n${two}\r\n`;
        assert.equal(statusOf(await sendRaw(receiver.port, head + body)), 401);
      }
    });

    it('WHK-04: accepts anything as unverified without a secret, and nothing unsigned with one', async () => {
      const receiver = await start({ secrets: [] });
      assert.equal((await receiver.post(deliveryJson(), { 'x-service-signature': null })).status, 200);
      assert.equal((await receiver.post(deliveryJson())).status, 200);
      assert.equal((await receiver.post(deliveryJson(), { 'x-service-signature': 'nonsense' })).status, 200);
      const all = await receiver.store.list({ limit: 10 });
      assert.deepEqual([...new Set(all.map(({ verification }) => verification))], ['unverified']);
      receiver.rules.secrets = [testSecret];
      const missing = await receiver.post(deliveryJson(), { 'x-service-signature': null });
      const wrong = await receiver.post(deliveryJson(), { 'x-service-signature': `sha256=${'0'.repeat(64)}` });
      assert.equal(missing.status, 401);
      assert.deepEqual(missing, wrong);
      receiver.rules.secrets = [''];
      const forged = deliveryJson();
      const header = { 'x-service-signature': signatureOf(Buffer.from(forged), '') };
      assert.equal((await receiver.post(forged, header)).status, 401, 'an empty secret verifies nothing');
      assert.equal(await receiver.store.count(), 3);
    });

    it('WHK-05: verifies the raw bytes, then parses the JSON', async () => {
      const { post, store } = await start();
      const id = () => randomUUID();
      const bodies = [
        JSON.stringify(JSON.parse(deliveryJson()), undefined, 4),
        `{"webhookId":"${id()}","type":"crawl.page","id":"a"}`,
        `{"type":"\\u00e9","webhookId":"${id()}"}`,
        `{"type":"é","webhookId":"${id()}"}`,
        `{"type":"🎈","webhookId":"${id()}"}`,
        `{\r\n"type":"a",\r\n"webhookId":"${id()}"}`,
        `\ufeff{"type":"bom","webhookId":"${id()}"}`,
        `{"type":"a","webhookId":"${id()}"}\n`,
        `{"type":"a","type":"b","webhookId":"x","webhookId":"${id()}"}`,
      ];
      for (const body of bodies) {
        assert.equal((await post(body)).status, 200, body);
        assert.deepEqual(
          Buffer.from((await store.get(await store.newest()))?.body ?? []),
          Buffer.from(body),
          'every byte is kept',
        );
      }
      const text = deliveryJson();
      for (const notUtf8 of [Buffer.from([0xff, 0xfe]), Buffer.concat([Buffer.from(text), Buffer.from([0xc3])])]) {
        assert.equal((await post(notUtf8)).status, 400);
      }
      for (const noJson of ['', '{', 'null', '[]', '"x"', '1', `${text}x`, `\u0000${text}`, '{]', "{'a':1}"]) {
        assert.equal((await post(noJson)).status, 400, noJson);
      }
      const pretty = JSON.stringify(JSON.parse(text), undefined, 1);
      const header = { 'x-service-signature': signatureOf(Buffer.from(text), testSecret) };
      assert.equal((await post(pretty, header)).status, 401, 'the same JSON in other bytes');
      assert.equal(await store.count(), bodies.length);
    });

    it('WHK-10: verifies the signature before it parses anything', async () => {
      const receiver = await start();
      const bomb = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
      const bad = { 'x-service-signature': `sha256=${'0'.repeat(64)}` };
      assert.equal((await receiver.post(bomb, bad)).status, 401);
      assert.equal((await receiver.post('{', bad)).status, 401);
      assert.equal((await receiver.post(bomb)).status, 400);
      const deep = deliveryJson({ data: 'DEEP' }).replace('"DEEP"', bomb);
      assert.equal((await receiver.post(deep)).status, 200);
      assert.equal((await receiver.post(deep, bad)).status, 401);
      assert.equal(await receiver.store.count(), 1);
    });

    it('WHK-16: accepts either of two secrets until the old one is dropped', async () => {
      const receiver = await start({ secrets: ['new', 'old'] });
      const signed = (secret: string) => {
        const body = deliveryJson();
        return receiver.post(body, { 'x-service-signature': signatureOf(Buffer.from(body), secret) });
      };
      assert.deepEqual([(await signed('new')).status, (await signed('old')).status], [200, 200]);
      const words = (await receiver.store.list({ limit: 2 })).map(({ verification }) => verification);
      assert.deepEqual(words, ['verified by the old secret', 'verified']);
      receiver.rules.secrets = ['new'];
      assert.deepEqual([(await signed('new')).status, (await signed('old')).status], [200, 401]);
    });
  });

  describe('storing once', () => {
    it('WHK-06: a delivery that arrives 100 times at once, and again after a restart', async () => {
      const first = await start();
      const body = deliveryJson();
      const answers = await Promise.all(Array.from({ length: 100 }, () => first.post(body)));
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
      assert.equal(await first.store.count(), 1);
      assert.equal((await first.store.list({ limit: 1 }))[0]?.repeats, 99);
      assert.equal(first.stored.filter((result) => result === 'stored').length, 1);
      const second = await start({ directory: first.directory });
      assert.equal((await second.post(body)).status, 200);
      assert.deepEqual(second.stored, ['repeated']);
      assert.equal(await second.store.count(), 1);
    });

    it('WHK-06: keeps the first body of an id, and reports a different one', async () => {
      const { post, store, stored } = await start();
      const webhookId = randomUUID();
      await post(deliveryJson({ webhookId, type: 'first' }));
      assert.equal((await post(deliveryJson({ webhookId, type: 'second' }))).status, 200);
      assert.equal((await post(deliveryJson({ webhookId: webhookId.toUpperCase(), type: 'third' }))).status, 200);
      assert.deepEqual(stored, ['stored', 'conflicting', 'conflicting']);
      const [only] = await store.list({ limit: 10 });
      assert.deepEqual([await store.count(), only?.type, only?.conflicts], [1, 'first', 2]);
    });

    it("WHK-06: rejects a delivery whose id isn't a UUID", async () => {
      const receiver = await start();
      for (const webhookId of [undefined, null, '', 'x', 7, {}, randomUUID().slice(1), `${randomUUID()}0`]) {
        assert.equal((await receiver.post(deliveryJson({ webhookId }))).status, 400, String(webhookId));
      }
      assert.equal((await receiver.post(deliveryJson({ type: undefined }))).status, 400);
      await nothingStored(receiver);
    });

    it("WHK-07: remembers ids longer than deliveries, so that a replayed old one isn't treated as new", async () => {
      const { post, store } = await start();
      const body = deliveryJson();
      await post(body);
      await store.clear();
      assert.equal((await post(body)).status, 200);
      assert.equal(await store.count(), 0);
      const days = 24 * 3600_000;
      await store.prune(Date.now() + 8 * days);
      await post(body);
      assert.equal(await store.count(), 0, 'known after 8 days');
      await store.prune(Date.now() + 31 * days);
      await post(body);
      assert.equal(await store.count(), 1, 'the memory of ids is bounded');
    });

    it('verifies one that arrived before there was a secret', async () => {
      const receiver = await start({ secrets: [] });
      const body = deliveryJson();
      await receiver.post(body);
      receiver.rules.secrets = [testSecret];
      await receiver.post(body);
      assert.equal((await receiver.store.list({ limit: 1 }))[0]?.verification, 'verified');
    });
  });

  describe('limits', () => {
    it('WHK-08: accept a body up to the maximum size, and none beyond it', async () => {
      const receiver = await start();
      const frame = deliveryJson({ data: [] });
      const full = frame.replace('"data":[]', `"data":["${'x'.repeat(cap - frame.length - 2)}"]`);
      assert.equal(Buffer.byteLength(full), cap);
      assert.equal((await receiver.post(full)).status, 200);
      assert.equal(await postLarge(receiver.port, { 'content-length': String(cap + 1) }), 413);
      assert.equal(await postLarge(receiver.port, { 'content-length': String(1024 ** 3) }), 413);
      assert.equal((await receiver.post('')).status, 400);
      assert.equal((await receiver.post('x')).status, 400);
      assert.equal(await receiver.store.count(), 1);
    });

    it('WHK-08: reject an endless chunked body', async () => {
      const receiver = await start();
      const before = process.memoryUsage().arrayBuffers;
      const socket = connect(receiver.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(
        `POST /webhooks HTTP/1.1\r\nhost: 127.0.0.1:${receiver.port}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
      );
      const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000, 'x'), Buffer.from('\r\n')]);
      let sent = 0;
      const more = () => {
        while (!socket.destroyed && sent < 1024 ** 3 && socket.write(chunk)) sent += chunk.length;
      };
      socket.on('drain', more);
      const answer = received(socket);
      more();
      assert.equal(statusOf(await answer), 413);
      await eventually(() => assert.ok(socket.destroyed || socket.readableEnded));
      assert.ok(sent < 100 * 1024 * 1024, `${sent} bytes were taken`);
      assert.ok(process.memoryUsage().arrayBuffers - before < 100 * 1024 * 1024);
      await nothingStored(receiver);
    });

    it('WHK-08: request a body only if its headers are valid', async () => {
      const receiver = await start();
      const body = deliveryJson();
      const head = (length: number, path = '/webhooks') =>
        `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${receiver.port}\r\ncontent-type: application/json\r\n` +
        `x-service-signature: ${signatureOf(Buffer.from(body), testSecret)}\r\ncontent-length: ${length}\r\nexpect: 100-continue\r\n\r\n`;
      assert.match(await sendRaw(receiver.port, head(cap + 1), headEnd), /^HTTP\/1\.1 413 /);
      assert.match(await sendRaw(receiver.port, head(10, '/other'), headEnd), /^HTTP\/1\.1 404 /);
      assert.match(await sendRaw(receiver.port, head(body.length), headEnd), /^HTTP\/1\.1 100 Continue\r\n\r\n$/);
      const socket = connect(receiver.port, '127.0.0.1');
      socket.once('data', () => socket.write(body));
      socket.write(head(body.length));
      const answer = received(socket);
      await eventually(async () => assert.equal(await receiver.store.count(), 1));
      socket.end();
      assert.match(await answer, /HTTP\/1\.1 200 /);
    });

    it('WHK-09: reject a request that stalls, is cut off or is malformed', async () => {
      const receiver = await start({ requestTimeoutMs: 1000 });
      const { port } = receiver;
      const head = (extra: string) =>
        `POST /webhooks HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\n${extra}\r\n\r\n`;
      assert.equal(statusOf(await sendRaw(port, `${head('content-length: 100')}abc`)), 408, 'stalled body');
      assert.equal(statusOf(await sendRaw(port, 'POST /webhooks HTTP/1.1\r\nhost: a')), 408, 'stalled head');
      assert.equal(
        statusOf(await sendRaw(port, `${head('content-length: 3\r\ntransfer-encoding: chunked')}0\r\n\r\n`)),
        400,
      );
      assert.equal(statusOf(await sendRaw(port, head('content-length: 1\r\ncontent-length: 2'))), 400);
      assert.equal(statusOf(await sendRaw(port, head('content-length: -1'))), 400);
      assert.equal(statusOf(await sendRaw(port, `${head('transfer-encoding: chunked')}zz\r\nab\r\n`)), 400);
      const slow = connect(port, '127.0.0.1');
      slow.on('error', () => undefined);
      slow.write(head('content-length: 1000'));
      const dripping = setInterval(() => slow.write('x'), 50);
      assert.equal(statusOf(await received(slow)), 408, 'one byte at a time');
      clearInterval(dripping);
      slow.destroy();
      const aborted = connect(port, '127.0.0.1');
      aborted.write(`${head('content-length: 100')}abc`, () => aborted.resetAndDestroy());
      assert.equal((await receiver.post(deliveryJson())).status, 200);
      assert.equal(await receiver.store.count(), 1);
    });

    it('WHK-09: treat a request smuggled behind a short body as a separate one', async () => {
      const receiver = await start();
      const good = deliveryJson();
      const smuggled = deliveryJson();
      const head = (body: string, signature: string) =>
        `POST /webhooks HTTP/1.1\r\nhost: 127.0.0.1:${receiver.port}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nx-service-signature: ${signature}\r\n\r\n${body}`;
      const bytes =
        head(good, signatureOf(Buffer.from(good), testSecret)) +
        head(smuggled, signatureOf(Buffer.from(good), testSecret));
      const answer = await sendRaw(receiver.port, bytes, /HTTP[\s\S]*HTTP\/1\.1 \d+ /);
      assert.deepEqual(
        [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
        ['200', '401'],
      );
      assert.equal(await receiver.store.count(), 1);
    });

    it('WHK-09: allow other requests while 1000 connections send nothing', async () => {
      const receiver = await start();
      const sockets = await Promise.all(
        Array.from(
          { length: 1000 },
          () =>
            new Promise<Socket>((resolve, reject) => {
              const socket = connect(receiver.port, '127.0.0.1', () => resolve(socket));
              socket.once('error', reject);
            }),
        ),
      );
      for (const socket of sockets) socket.write('POST /webhooks HTTP/1.1\r\n');
      assert.equal((await receiver.post(deliveryJson())).status, 200);
      for (const socket of sockets) socket.destroy();
    });

    it("WHK-11: accept only JSON posted to the receiver's path, with or without a secret", async () => {
      const tries: [string, string, Record<string, string>, number][] = [
        ['GET', '/webhooks', {}, 405],
        ['HEAD', '/webhooks', {}, 405],
        ['PUT', '/webhooks', {}, 405],
        ['DELETE', '/webhooks', {}, 405],
        ['OPTIONS', '/webhooks', { origin: 'https://evil.test', 'access-control-request-method': 'POST' }, 403],
        ['OPTIONS', '/webhooks', {}, 405],
        ['GET', '/', {}, 404],
        ['POST', '/', {}, 404],
        ['POST', '/v2/crawl', {}, 404],
        ['POST', '/webhooks/../v2', {}, 404],
        ['POST', '//webhooks', {}, 404],
        ['POST', '/webhooks', { 'content-type': 'text/plain' }, 415],
        ['POST', '/webhooks', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
        ['POST', '/webhooks', { 'content-type': 'application/json; charset=latin1' }, 415],
        ['POST', '/webhooks', { 'content-encoding': 'gzip' }, 415],
        ['POST', '/webhooks', { 'content-encoding': 'br' }, 415],
      ];
      const outcomes: string[][] = [];
      for (const secrets of [[testSecret], []]) {
        const receiver = await start({ secrets });
        const seen: string[] = [];
        for (const [method, path, headers, status] of tries) {
          const all = { 'content-type': 'application/json', host: `127.0.0.1:${receiver.port}`, ...headers };
          const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
          const body = 'content-encoding' in headers ? gzipSync(deliveryJson()) : Buffer.from('{}');
          const head = `${method} ${path} HTTP/1.1\r\n${lines.join('')}connection: close\r\ncontent-length: ${body.length}\r\n\r\n`;
          const answer = await sendRaw(receiver.port, Buffer.concat([Buffer.from(head), body]));
          assert.equal(statusOf(answer), status, `${method} ${path} ${JSON.stringify(headers)}`);
          assert.doesNotMatch(answer, /access-control/i);
          seen.push(answer.replace(/date: .*/i, '').replaceAll(String(receiver.port), ''));
        }
        outcomes.push(seen);
        await nothingStored(receiver);
      }
      assert.deepEqual(outcomes[0], outcomes[1], 'no answer tells whether there is a secret');
      const utf8 = await start();
      assert.equal(
        (await utf8.post(deliveryJson(), { 'content-type': 'Application/JSON; charset="UTF-8"' })).status,
        200,
      );
    });

    it("WHK-14: return 503 instead of losing what can't be stored", async () => {
      let broken = false;
      const receiver = await start({
        queue: { count: 20, bytes: cap },
        wrapStore: (store) => ({
          add(arrivals) {
            if (broken) throw new Error('database or disk is full');
            return store.add(arrivals);
          },
        }),
      });
      broken = true;
      assert.equal((await receiver.post(deliveryJson())).status, 503);
      broken = false;
      const answers = await Promise.all(Array.from({ length: 300 }, () => receiver.post(deliveryJson())));
      const taken = answers.filter(({ status }) => status === 200).length;
      assert.deepEqual(
        answers.filter(({ status }) => status !== 200 && status !== 503),
        [],
      );
      assert.equal(await receiver.store.count(), taken);
    });

    it('WHK-15: accept only this machine and the hosts that the user set', async () => {
      const receiver = await start({ publicHosts: ['hooks.example.test', 'tunnel.test:8443'] });
      const { port, post } = receiver;
      const good = [
        `127.0.0.1:${port}`,
        `localhost:${port}`,
        'localhost:9999',
        '[::1]:1',
        'hooks.example.test',
        'Tunnel.Test:8443',
      ];
      for (const host of good) assert.equal((await post(deliveryJson(), { host })).status, 200, host);
      const bad = [
        'evil.test',
        `evil.test:${port}`,
        '127.0.0.1.evil.test',
        'localhost.evil.test',
        'hooks.example.test.evil',
        'tunnel.test',
        '0.0.0.0',
      ];
      for (const host of bad) assert.equal((await post(deliveryJson(), { host })).status, 403, host);
      const head = 'POST /webhooks HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: 0\r\n';
      assert.equal(statusOf(await sendRaw(port, `${head}\r\n`, headEnd)), 400, 'no Host');
      assert.equal(
        statusOf(await sendRaw(port, `${head}host: localhost\r\nhost: evil.test\r\n\r\n`, headEnd)),
        400,
        'two Hosts',
      );
      const pages: Record<string, string>[] = [
        { origin: 'https://evil.test' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
      ];
      for (const headers of pages) {
        assert.equal((await post(deliveryJson(), headers)).status, 403);
      }
      assert.deepEqual(receiver.refused.at(-1), {
        status: 403,
        error: "Requests from web pages aren't accepted.",
        host: `127.0.0.1:${port}`,
      });
    });
  });

  it('WHK-13: accept unknown kinds and fields unchanged', async () => {
    const { post, store } = await start();
    const odd: Record<string, unknown>[] = [
      { type: 'agent.action' },
      { type: 'something.else', extra: { deep: [1] } },
      { success: false, error: 'timeout', data: [{ metadata: { sourceURL: 'https://a.test/x' } }] },
      { data: 'not an array' },
      { data: null },
      { data: Array.from({ length: 100_000 }, () => ({})) },
      { id: undefined },
      { id: 7 },
      { type: '<img src=x onerror=alert(1)>', error: '**bold** [x](command:y) $(zap)', success: 'no' },
    ];
    for (const fields of odd)
      assert.equal((await post(deliveryJson(fields))).status, 200, JSON.stringify(fields).slice(0, 80));
    const proto = deliveryJson({ metadata: 'PROTO' }).replace('"PROTO"', '{"__proto__":{"polluted":true}}');
    assert.equal((await post(proto)).status, 200);
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
    assert.equal(Buffer.from((await store.get(await store.newest()))?.body ?? []).toString(), proto);
    assert.equal(await store.count(), odd.length + 1);
    const failed = (await store.list({ limit: 100 })).find(({ error }) => error === 'timeout');
    assert.deepEqual([failed?.success, failed?.pageUrl], [false, 'https://a.test/x']);
  });

  it('keep deliveries up to the maximum number, age and size', async () => {
    const { post, store } = await start({ bounds: { deliveries: 5, ageMs: 1000, bytes: 20_000 } });
    for (let index = 0; index < 9; index++) await post(deliveryJson({ type: `number ${index}` }));
    assert.deepEqual(
      (await store.list({ limit: 10 })).map(({ type }) => type),
      [8, 7, 6, 5, 4].map((index) => `number ${index}`),
    );
    await post(deliveryJson({ type: 'long', data: ['x'.repeat(19_000)] }));
    assert.ok((await store.count()) < 5);
    assert.equal((await store.list({ limit: 1 }))[0]?.type, 'long');
    await store.prune(Date.now() + 2000);
    assert.equal(await store.count(), 0);
  });

  it('keep deliveries however old they are, without a maximum age', async () => {
    const { post, store } = await start({ bounds: { ...wideBounds, ageMs: Number.POSITIVE_INFINITY } });
    await post(deliveryJson());
    const later = Date.now() + 100 * 365 * 24 * 3600_000;
    await store.prune(later);
    assert.equal(await store.count(), 1);
    await store.prune(later);
    store.setBounds({ ...wideBounds, ageMs: 1000 });
    await store.prune(later);
    assert.equal(await store.count(), 0);
  });
});

/** Starts a body that never ends, and returns the status. */
async function postLarge(port: number, headers: Record<string, string>): Promise<number> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `POST /webhooks HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\n${lines.join('')}\r\n${'x'.repeat(1000)}`,
  );
  const answer = await received(socket);
  return statusOf(answer);
}

/** All that comes until the other side ends the connection. */
function received(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.setEncoding('latin1').on('data', (piece) => {
      text += String(piece);
    });
    socket.once('close', () => resolve(text));
    socket.once('end', () => resolve(text));
  });
}

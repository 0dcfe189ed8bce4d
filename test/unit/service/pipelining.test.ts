import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createGuardedServer } from '../../../src/service/platform/http/guarded-server.ts';
import type { ServerOptions } from '../../../src/service/platform/http/http.ts';
import { inOrder } from '../../../src/service/platform/http/pipelining.ts';
import { eventually } from '../../harness/eventually.ts';
import { sendRaw } from '../../harness/raw-http.ts';

/** A server of the service's own that lets every request through. */
function guarded(listener: RequestListener) {
  const options = {
    keys: { authenticate: () => ({ team: 'a', keyLabel: 'a' }) },
    pages: { allowance: () => undefined },
    operations: { metrics: { request: () => undefined } },
  };
  const address = () => ({ host: '127.0.0.1', port: 80, allowedHosts: ['a'], publicUrl: undefined });
  return createGuardedServer(listener, address, options as unknown as ServerOptions);
}

describe('requests that arrive together on one connection (NET-29)', () => {
  for (const [name, create] of [
    ['of the service', guarded],
    ['of any server', (listener: RequestListener) => createServer(inOrder(listener))],
  ] as const) {
    it(`are taken one after the other, each in a turn of its own: ${name}`, async () => {
      let [open, taken, together, isSameTurn] = [0, 0, 0, false];
      const server = create((_request, response) => {
        taken++;
        if (isSameTurn || open > 0) together++;
        isSameTurn = true;
        setImmediate(() => {
          isSameTurn = false;
        });
        open++;
        response.once('finish', () => open--).end(String(taken));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      try {
        const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
        const last = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
        const answers = await sendRaw((server.address() as AddressInfo).port, request.repeat(49) + last);
        assert.equal(answers.match(/HTTP\/1\.1 200/g)?.length, 50);
        assert.deepEqual({ open, taken, together }, { open: 0, taken: 50, together: 0 });
      } finally {
        server.close();
      }
    });
  }

  it('begin at once if their bodies are long, so that the connection is read on, also behind one that waits', async () => {
    const begun: string[] = [];
    const responses: ServerResponse[] = [];
    const server = createServer(
      inOrder((request, response) => {
        begun.push(request.url ?? '');
        responses.push(response);
        request.resume();
      }),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const get = (path: string, rest = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${rest}\r\n`;
      const long = `POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n${'x'.repeat(3_000_000)}`;
      const sent = get('/0') + get('/1') + long + get('/3', 'Connection: close\r\n');
      const answers = sendRaw((server.address() as AddressInfo).port, sent);
      await eventually(() => assert.deepEqual(begun, ['/0', '/2']));
      responses[0]?.end('0');
      await eventually(() => assert.equal(begun.at(-1), '/1'));
      responses[1]?.end('2');
      responses[2]?.end('1');
      await eventually(() => assert.equal(begun.at(-1), '/3'));
      responses[3]?.end('3');
      assert.deepEqual((await answers).match(/\d(?=HTTP|$)/g), ['0', '1', '2', '3']);
    } finally {
      server.close();
    }
  });

  it('have each the context in which they arrived', async () => {
    const context = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const server = createServer(
      inOrder((request, response) => {
        seen.push(context.getStore());
        context.run(request.url ?? '', () => response.end());
      }),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
      const last = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
      await sendRaw((server.address() as AddressInfo).port, request.repeat(3) + last);
      assert.deepEqual(seen, [undefined, undefined, undefined, undefined]);
    } finally {
      server.close();
    }
  });

  it('end the connection if they are too many', async () => {
    const responses: ServerResponse[] = [];
    const server = createServer(inOrder((_request, response) => void responses.push(response)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    try {
      let isClosed = false;
      client
        .on('error', () => undefined)
        .once('close', () => {
          isClosed = true;
        });
      client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1_000));
      await eventually(() => assert.ok(isClosed));
      assert.equal(responses.length, 1);
    } finally {
      client.destroy();
      server.close();
    }
  });
});

import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { startTestService, type TestService, testKey } from '../harness/service.ts';

describe('slow and idle clients', function () {
  this.timeout(120_000);
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());

  /** Sends a byte a second; resolves with the milliseconds until the service hung up. */
  const drip = (text: string) =>
    new Promise<number>((resolve) => {
      const started = performance.now();
      const socket = connect(service.port, '127.0.0.1');
      let sent = 0;
      const timer = setInterval(() => socket.write(text[sent++ % text.length] ?? ' '), 1000);
      socket.on('error', () => undefined);
      socket.resume().on('close', () => {
        clearInterval(timer);
        resolve(performance.now() - started);
      });
    });

  it('are disconnected, headers after 10 s and bodies after 30 s, while others are served', async () => {
    const idle: Socket[] = Array.from({ length: 500 }, () => connect(service.port, '127.0.0.1'));
    for (const socket of idle) socket.on('error', () => undefined);
    const slowHeaders = drip('GET /v2/browser HTTP/1.1\r\nX-Long: '.padEnd(4000, 'x'));
    const head = `POST /v2/browser HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\nAuthorization: Bearer ${testKey}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`;
    const slowBody = new Promise<number>((resolve) => {
      const started = performance.now();
      const socket = connect(service.port, '127.0.0.1', () => socket.write(head));
      const timer = setInterval(() => socket.write(' '), 1000);
      socket.on('error', () => undefined);
      socket.resume().on('close', () => {
        clearInterval(timer);
        resolve(performance.now() - started);
      });
    });
    assert.equal((await service.call('GET', '/v2/browser')).status, 200);
    assert.ok((await slowHeaders) < 20_000);
    assert.equal((await service.call('GET', '/v2/browser')).status, 200);
    assert.ok((await slowBody) < 45_000);
    for (const socket of idle) socket.destroy();
    assert.equal((await service.call('GET', '/v2/browser')).body.sessions.length, 0);
  });
});

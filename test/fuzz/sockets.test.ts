import assert from 'node:assert/strict';
import { once } from 'node:events';
import fc from 'fast-check';
import { WebSocket } from 'ws';
import { fromWindow, linkPath } from '../../src/contract/embedded.ts';
import { fromViewer } from '../../src/contract/sessions/live-view.ts';
import { patience } from '../harness/eventually.ts';
import { fuzz, hostileJson, hostileText, mutated, nearly } from '../harness/fuzzing.ts';
import { startTestService, type TestService, testKey } from '../harness/service.ts';

/** A socket that is opened again after the service closed it for a bad message. */
function reopening(url: string, headers: Record<string, string> = {}) {
  let socket: WebSocket | undefined;
  const codes = new Set<number>();
  return {
    codes,
    async opened(): Promise<WebSocket> {
      if (socket?.readyState === WebSocket.OPEN) return socket;
      const next = new WebSocket(url, { headers });
      next.on('close', (code) => codes.add(code)).on('error', () => undefined);
      await once(next, 'open');
      socket = next;
      return next;
    },
    async close(): Promise<void> {
      if (!socket || socket.readyState === WebSocket.CLOSED) return;
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

describe('sockets of the service', () => {
  let service: TestService;
  let session: { id: string; cdpUrl: string; liveViewUrl: string; interactiveLiveViewUrl: string };
  before(async () => {
    service = await startTestService();
    session = (await service.call('POST', '/v2/browser', {})).body;
  });
  after(() => service.close());

  /** The service still answers, and the session still runs code. */
  async function serves(): Promise<void> {
    const { body } = await service.call('POST', `/v2/browser/${session.id}/execute`, { code: '1 + 1', timeout: 30 });
    assert.equal(body.result, '2', JSON.stringify(body));
  }

  const text = (value: unknown) => JSON.stringify(value) ?? '';

  it('survive any message from a window or a viewer', async () => {
    const key = { authorization: `Bearer ${testKey}` };
    const sockets = {
      link: reopening(`${service.baseUrl.replace('http', 'ws')}${linkPath}`, key),
      live: reopening(session.liveViewUrl.replace('http', 'ws')),
      control: reopening(session.interactiveLiveViewUrl.replace('http', 'ws')),
    };
    // Pages that a navigation would load are on this machine or none.
    const viewing = nearly(fromViewer, {
      url: fc.constantFrom('about:blank', 'http://127.0.0.1:1/', 'file:///etc/passwd', 'x y'),
    });
    const message = fc.oneof(
      fc.tuple(fc.constantFrom('live', 'control'), viewing.map(text)),
      fc.tuple(fc.constant('link'), nearly(fromWindow).map(text)),
      fc.tuple(
        fc.constantFrom('live', 'control', 'link'),
        fc.oneof(
          hostileText,
          hostileJson.map(text),
          viewing.chain((value) => mutated(Buffer.from(text(value)))),
        ),
      ),
    );
    try {
      await fuzz(8, message, async ([name, data]) => {
        const socket = await sockets[name as keyof typeof sockets].opened();
        await new Promise((resolve) => socket.send(data, resolve));
      });
      await serves();
      for (const { codes } of Object.values(sockets)) assert.ok(!codes.has(1011), [...codes].join());
    } finally {
      for (const socket of Object.values(sockets)) await socket.close();
    }
  });

  it('answer any CDP message under its id, or close the client that sent it', async () => {
    const socket = reopening(session.cdpUrl);
    const method = fc.oneof(
      fc.constantFrom(
        'Browser.getVersion',
        'Target.getTargets',
        'Target.setAutoAttach',
        'Target.setDiscoverTargets',
        'Target.attachToTarget',
        'Target.detachFromTarget',
        'Target.sendMessageToTarget',
        'Runtime.evaluate',
        'Page.enable',
        'Network.enable',
        'DOM.getDocument',
        'Browser.crash',
        'Browser.crashGpuProcess',
        'SystemInfo.getInfo',
        'Schema.getDomains',
      ),
      hostileText.map((name) => name.slice(0, 200)),
    );
    let id = 0;
    const command = fc.record(
      {
        id: fc.constant(0),
        method,
        params: fc.oneof(
          hostileJson,
          fc.record(
            {
              targetId: hostileText,
              sessionId: hostileText,
              autoAttach: fc.boolean(),
              waitForDebuggerOnStart: fc.boolean(),
              flatten: fc.boolean(),
            },
            { requiredKeys: [] },
          ),
        ),
        sessionId: hostileText.map((name) => name.slice(0, 200)),
      },
      { requiredKeys: ['id', 'method'] },
    );
    const message = fc.oneof(
      { weight: 10, arbitrary: command },
      { weight: 1, arbitrary: hostileJson },
      { weight: 1, arbitrary: hostileText },
    );
    try {
      await fuzz(4, message, async (value) => {
        const client = await socket.opened();
        if (typeof value === 'object' && value !== null && 'method' in value && !Array.isArray(value)) {
          const sent = { ...value, id: ++id };
          const answered = new Promise<void>((resolve, reject) => {
            const timer = setTimeout(() => reject(new Error(`no answer to ${text(sent).slice(0, 300)}`)), patience);
            const settle = () => {
              clearTimeout(timer);
              client.off('message', read).off('close', settle);
              resolve();
            };
            const read = (data: unknown) => {
              const answer = JSON.parse(String(data));
              if (answer.id === sent.id) settle();
            };
            client.on('message', read).on('close', settle);
          });
          client.send(text(sent));
          await answered;
        } else {
          await new Promise((resolve) => client.send(text(value), resolve));
        }
      });
      await serves();
    } finally {
      await socket.close();
    }
  });
});

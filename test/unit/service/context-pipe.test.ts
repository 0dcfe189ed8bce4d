import assert from 'node:assert/strict';
import type { CdpMessage } from '../../../src/service/browsers/chrome/messages.ts';
import type { CdpPipe } from '../../../src/service/browsers/chrome/pipe.ts';
import { confinePipe } from '../../../src/service/browsers/chrome/remote/context-pipe.ts';

describe('a session of a shared browser', () => {
  let sent: CdpMessage[];
  let received: unknown[];
  let arrive: (message: CdpMessage) => void;
  let pipe: CdpPipe;
  beforeEach(() => {
    [sent, received] = [[], []];
    const shared = {
      send: (message: CdpMessage) => void sent.push(message),
      onMessage(listener: (message: CdpMessage, text: string) => void) {
        arrive = (message) => listener(message, JSON.stringify(message));
        return () => undefined;
      },
    };
    pipe = confinePipe(shared as unknown as CdpPipe, 'own');
    pipe.onMessage((_message, text) => received.push(JSON.parse(String(text))));
  });
  const contextFor = (params: unknown) => {
    pipe.send({ id: 1, method: 'Storage.getCookies', params } as CdpMessage);
    return sent.at(-1)?.params?.browserContextId;
  };

  it('reaches its own context and those that it creates, and no other, whatever a command names (CDP-11)', () => {
    for (const params of [undefined, null, {}, { targetId: 'any' }]) assert.equal(contextFor(params), 'own');
    pipe.send({ id: 2, method: 'Target.createBrowserContext', params: {} });
    arrive({ id: 2, result: { browserContextId: 'more' } });
    assert.equal(contextFor({ browserContextId: 'more' }), 'more');
    assert.equal(contextFor({ browserContextId: 'own' }), 'own');
    for (const browserContextId of ['', null, 'of somebody else'])
      assert.equal(contextFor({ browserContextId }), 'unknown');
  });

  it('gives no page the whole browser (CDP-11)', () => {
    pipe.send({ id: 4, method: 'Target.exposeDevToolsProtocol', params: { targetId: 'page' } });
    assert.notEqual(sent[0]?.method, 'Target.exposeDevToolsProtocol');
  });

  it('takes its own context for the default one', () => {
    pipe.send({ id: 3, method: 'Target.getBrowserContexts' });
    arrive({ id: 3, result: { browserContextIds: ['own', 'other'], defaultBrowserContextId: 'default' } });
    assert.deepEqual(received, [{ id: 3, result: { browserContextIds: [], defaultBrowserContextId: 'own' } }]);
  });
});

import assert from 'node:assert/strict';
import { type CdpMessage, readMessage } from '../../../src/service/browsers/chrome/messages.ts';
import type { CdpPipe } from '../../../src/service/browsers/chrome/pipe.ts';
import { confinePipe } from '../../../src/service/browsers/chrome/remote/context-pipe.ts';

describe('a session of a shared browser', () => {
  let sent: CdpMessage[];
  let received: unknown[];
  let arrive: (message: CdpMessage) => void;
  let arriveAsRead: (json: string) => void;
  let pipe: CdpPipe;
  beforeEach(() => {
    [sent, received] = [[], []];
    const shared = {
      send: (message: CdpMessage) => void sent.push(message),
      onMessage(listener: (message: CdpMessage, text: string) => void) {
        arrive = (message) => listener(message, JSON.stringify(message));
        arriveAsRead = (json) => {
          const { message, text } = readMessage([Buffer.from(json)]) ?? {};
          if (message) listener(message, String(text));
        };
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

  it('reaches its own context and those that it creates, and no other, whatever a command names (CDP-05, CDP-11)', () => {
    for (const params of [undefined, null, {}, { targetId: 'any' }]) assert.equal(contextFor(params), 'own');
    pipe.send({ id: 2, method: 'Target.createBrowserContext', params: {} });
    arrive({ id: 2, result: { browserContextId: 'more' } });
    assert.equal(contextFor({ browserContextId: 'more' }), 'more');
    assert.equal(contextFor({ browserContextId: 'own' }), 'own');
    for (const browserContextId of ['', null, 'of somebody else', { toString: 'no text' }])
      assert.equal(contextFor({ browserContextId }), 'unknown');
  });

  it('gives no page the whole browser (CDP-11)', () => {
    const wrapped = JSON.stringify({ id: 1, method: 'Storage.getCookies' });
    pipe.send({ id: 4, method: 'Target.exposeDevToolsProtocol', params: { targetId: 'page' } });
    pipe.send({ id: 5, method: 'Target.sendMessageToTarget', params: { sessionId: 'page', message: wrapped } });
    assert.deepEqual(
      sent.map(({ method }) => method),
      ['Target.isConfined', 'Target.isConfined'],
    );
  });

  it('does nothing to the targets of other contexts (CDP-05, CDP-11)', () => {
    for (const [targetId, browserContextId] of [
      ['mine', 'own'],
      ['theirs', 'other'],
    ])
      arrive({ method: 'Target.targetCreated', params: { targetInfo: { type: 'page', targetId, browserContextId } } });
    for (const method of ['Target.attachToTarget', 'Target.closeTarget', 'Target.getTargetInfo'])
      for (const targetId of ['mine', 'theirs']) {
        pipe.send({ id: 6, method, params: { targetId } });
        assert.equal(sent.at(-1)?.params?.targetId, targetId === 'mine' ? 'mine' : 'unknown');
      }
    pipe.send({ id: 7, method: 'Target.closeTarget', params: { targetId: { toString: 'no text' } } });
    assert.equal(sent.at(-1)?.id, 7);
  });

  it('sees no event or list of targets that is too long to be read at once (CDP-11, TRN-07)', () => {
    const url = 'x'.repeat(2_000_000);
    const targetInfo = { type: 'page', targetId: 'theirs', browserContextId: 'other', url };
    for (const method of ['Target.targetCreated', 'Target.attachedToTarget'])
      for (const sessionId of [undefined, 'S'])
        arriveAsRead(JSON.stringify({ method, params: { targetInfo }, sessionId }));
    assert.deepEqual(received, []);
    pipe.send({ id: 8, method: 'Target.getTargets', params: {} });
    arriveAsRead(JSON.stringify({ id: 8, result: { targetInfos: [targetInfo] }, sessionId: 'S' }));
    const [reply] = received as CdpMessage[];
    assert.deepEqual([reply?.id, reply?.sessionId, reply?.result], [8, 'S', undefined]);
    assert.match(reply?.error?.message ?? '', /too long to be read/);
    // Others pass as they are.
    arriveAsRead(JSON.stringify({ method: 'Runtime.consoleAPICalled', params: { url }, sessionId: 'S' }));
    assert.equal(received.length, 2);
  });

  it('takes its own context for the default one', () => {
    pipe.send({ id: 3, method: 'Target.getBrowserContexts' });
    arrive({ id: 3, result: { browserContextIds: ['own', 'other'], defaultBrowserContextId: 'default' } });
    assert.deepEqual(received, [{ id: 3, result: { browserContextIds: [], defaultBrowserContextId: 'own' } }]);
  });
});

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { liveCloseCodes, liveProtocol } from '../../../src/contract/sessions/live-view-wire.ts';
import { eventually } from '../../harness/eventually.ts';
import { EventEmitter, env, fake, Uri } from '../../harness/fake-vscode.ts';

const { LivePanel } = await import('../../../src/extension/live-view/live-panel.ts');
type Options = ConstructorParameters<typeof LivePanel>[0];

/** A server with live views: a page, and a socket that chooses the given protocol, or is refused with a status. */
async function startServer(protocol?: string, refusal?: number) {
  const asked: string[] = [];
  const viewers: WebSocket[] = [];
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => protocol ?? false });
  const server: Server = createServer((_request, response) => response.end('<title>Live view</title>'));
  server.on('upgrade', (request, socket, head) => {
    asked.push(request.url ?? '');
    if (refusal !== undefined) return void socket.end(`HTTP/1.1 ${refusal} Refused\r\ncontent-length: 0\r\n\r\n`);
    sockets.handleUpgrade(request, socket, head, (viewer) => viewers.push(viewer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked,
    viewers,
    close() {
      for (const viewer of viewers) viewer.terminate();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A live view of a session of a server, and what its webview was sent. */
function openPanel(baseUrl: string, more: object = {}) {
  const ended: string[] = [];
  const sent: { name: string; params: Record<string, unknown> }[] = [];
  const [fromView, states, disposed] = [new EventEmitter(), new EventEmitter(), new EventEmitter<void>()];
  const nothing = () => ({ dispose: () => undefined });
  let html = '';
  const webview = {
    cspSource: 'webview:',
    asWebviewUri: (uri: unknown) => uri,
    onDidReceiveMessage: fromView.event,
    postMessage: async (message: (typeof sent)[number]) => void sent.push(message),
    get html() {
      return html;
    },
    set html(text: string) {
      html = text;
      setImmediate(() => fromView.fire({ kind: 'ready' }));
    },
  };
  const session = {
    id: 'one',
    name: 'One',
    status: 'active',
    endReason: undefined,
    liveViewUrl: `${baseUrl}/live/one/watch`,
    interactiveLiveViewUrl: `${baseUrl}/live/one/control`,
  };
  const panel = new LivePanel({
    panel: { title: '', visible: true, webview, onDidChangeViewState: states.event, onDidDispose: disposed.event },
    sessionId: 'one',
    pinned: false,
    sessions: { current: session, active: [session], find: () => session, onDidChange: nothing },
    agents: {
      onChange: { on: nothing },
      find: () => undefined,
      requestsOf: () => [],
      pause: async () => Promise.reject(new Error('The service is gone.')),
    },
    fixedSize: { get: () => false, set: () => undefined },
    onWatched: () => undefined,
    onEnded: (sessionId: string) => ended.push(sessionId),
    access: async () => ({ baseUrl, target: { kind: 'server', host: new URL(baseUrl).host } }),
    extensionUri: Uri.file('/extension'),
    log: { warn: () => undefined, error: () => undefined },
    ...more,
  } as unknown as Options);
  const named = (name: string) => sent.filter((message) => message.name === name).map(({ params }) => params);
  const request = (name: string, params: object) => fromView.fire({ kind: 'request', id: 1, name, params });
  return { panel, named, ended, request, frameSource: () => /frame-src ([^;"]+)/.exec(html)?.[1] };
}

describe('a live view of a session on a server', () => {
  const closing: (() => void)[] = [];
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });
  const open = async (protocol?: string) => {
    const server = await startServer(protocol);
    const opened = openPanel(server.url);
    closing.push(() => opened.panel.dispose(), server.close);
    return { server, ...opened };
  };

  it('shows the pictures of a server that has a socket for them, and takes control there', async () => {
    const { server, named, request } = await open(liveProtocol);
    await eventually(() => assert.equal(server.viewers.length, 1));
    assert.deepEqual(server.asked, ['/live/one/control?watch']);
    const [viewer] = server.viewers;
    for (const message of ['not JSON', '{"type":"unknown"}', '{"type":"notice","text":5}']) viewer?.send(message);
    const welcome = { type: 'welcome', control: false, canResize: true, mac: false, downloads: [] };
    viewer?.send(JSON.stringify(welcome));
    viewer?.send(Buffer.from([1, 2, 3]));
    await eventually(() => assert.equal(named('frame').length, 1));
    assert.deepEqual(named('live'), [{ message: welcome }]);
    assert.deepEqual(named('show').at(-1)?.shown, { kind: 'frames' });
    request('control', { take: true });
    await eventually(() => assert.deepEqual(server.asked.slice(1), ['/live/one/control']));
  });

  it('says that the connection was lost, and does not turn into a page', async () => {
    const { server, named, ended } = await open(liveProtocol);
    await eventually(() => assert.equal(server.viewers.length, 1));
    await eventually(() => assert.equal(named('show').length, 1));
    server.viewers[0]?.terminate();
    await eventually(() => assert.equal(named('lost').length, 1));
    assert.deepEqual(named('show').at(-1)?.shown, { kind: 'frames' });
    assert.deepEqual(ended, []);
  });

  it('tells at once that the session has ended, which the list of sessions shows later', async () => {
    const { server, named, ended } = await open(liveProtocol);
    await eventually(() => assert.equal(server.viewers.length, 1));
    server.viewers[0]?.close(liveCloseCodes.ended);
    await eventually(() => assert.deepEqual(ended, ['one']));
    assert.equal(named('lost').length, 0);
  });

  it('shows why a button of the view did nothing (EXT-20)', async () => {
    const { request } = await open(liveProtocol);
    fake.reset();
    request('pause', { paused: true });
    await eventually(() => assert.deepEqual(fake.messages, ['Web Data: The service is gone.']));
  });

  it("says in the view why a page can't be shown", async () => {
    const { asExternalUri } = env;
    closing.push(() => Object.assign(env, { asExternalUri }));
    env.asExternalUri = async () => Promise.reject(new Error('No port can be forwarded.'));
    const { named } = await open();
    const shown = { kind: 'nothing', reason: 'No port can be forwarded.' };
    await eventually(() => assert.deepEqual(named('show').at(-1)?.shown, shown));
  });

  it('tells that the session had ended before it was opened', async () => {
    const server = await startServer(liveProtocol, 410);
    const { panel, ended } = openPanel(server.url);
    closing.push(() => panel.dispose(), server.close);
    await eventually(() => assert.deepEqual(ended, ['one']));
  });

  it('of the embedded service is in control from the start if asked, or takes control later', async () => {
    const server = await startServer(liveProtocol);
    closing.push(server.close);
    const access = async () => ({ baseUrl: server.url, target: { kind: 'embedded' } });
    const { panel } = openPanel(server.url, { access, control: true });
    closing.push(() => panel.dispose());
    await eventually(() => assert.deepEqual(server.asked, ['/live/one/control']));
    const other = openPanel(server.url, { access });
    closing.push(() => other.panel.dispose());
    await eventually(() => assert.deepEqual(server.asked.slice(1), ['/live/one/control?watch']));
    other.panel.takeControl();
    await eventually(() => assert.deepEqual(server.asked.slice(2), ['/live/one/control']));
  });

  for (const [name, protocol] of [
    ['has no socket of this kind', undefined],
    ['chooses another protocol', 'graphql'],
  ] as const) {
    it(`shows the page of a server that ${name}, asked once`, async () => {
      const { server, named, frameSource, request } = await open(protocol);
      const page = { kind: 'page', url: `${server.url}/live/one/watch`, control: false, canControl: true };
      await eventually(() => assert.deepEqual(named('show').at(-1)?.shown, page));
      assert.equal(frameSource(), server.url);
      request('control', { take: true });
      const acting = { ...page, url: `${server.url}/live/one/control`, control: true };
      await eventually(() => assert.deepEqual(named('show').at(-1)?.shown, acting));
      assert.equal(server.asked.length, 1);
    });
  }
});

import assert from 'node:assert/strict';
import type { Disposable, LogOutputChannel } from 'vscode';
import type { FromWindow } from '../../../../src/contract/embedded.ts';
import type { Connection } from '../../../../src/extension/connection/connection.ts';
import { commands } from '../../../../src/extension/ui/ids.ts';
import { Signal } from '../../../../src/extension/ui/lifecycle.ts';
import type { VirtualDocuments } from '../../../../src/extension/ui/virtual-documents/virtual-documents.ts';
import { eventually, patience } from '../../../harness/eventually.ts';
import { fake } from '../../../harness/fake-vscode.ts';
import { type Exchange, type FaultyServer, startFaultyServer } from '../../../harness/faulty-server.ts';

interface Box {
  prompt: string;
  value: string;
  validationMessage: string | undefined;
}

describe('Set Up Search…', () => {
  let engine: FaultyServer;
  let respond: (exchange: Exchange) => void;
  let registered: Disposable;
  let sent: FromWindow[];
  before(async () => {
    engine = await startFaultyServer((_arrival, exchange) => respond(exchange));
  });
  after(() => engine.close());
  beforeEach(async () => {
    fake.reset();
    sent = [];
    respond = (to) => to.json({ query: 'web', results: [] });
    const { registerSearch } = await import('../../../../src/extension/search/search.ts');
    registered = registerSearch({
      connection: {
        sendToService: (message: FromWindow) => sent.push(message),
        onServiceLinked: new Signal(),
      } as unknown as Connection,
      documents: {} as VirtualDocuments,
      log: { error: () => undefined } as unknown as LogOutputChannel,
    });
  });
  afterEach(() => registered.dispose());

  const setting = () => fake.settings.get('webdata.search.endpoint');
  /** Answers the input, and closes it once it shows a problem. */
  const enter = (text: string) => {
    const boxes: Box[] = [];
    fake.answer = async (kind, box) => {
      if (kind !== 'box') return undefined;
      boxes.push(box as Box);
      return { type: text };
    };
    return boxes;
  };

  it('saves the URL of a server that answers, passes it to the service, and repeats the search', async () => {
    enter(` ${engine.baseUrl}/search/ `);
    const repeated: string[] = [];
    fake.commands.set(commands.searchWeb, (query: string) => repeated.push(query));
    assert.equal(await fake.run(commands.setUpSearch, 'tea'), true);
    assert.equal(setting(), engine.baseUrl);
    assert.deepEqual(sent.at(-1), { type: 'search-endpoint', endpoint: engine.baseUrl });
    const { host } = new URL(engine.baseUrl);
    assert.deepEqual(fake.messages, [`$(check) Search engine: ${host}`]);
    assert.deepEqual(repeated, ['tea']);
  });

  it('reads no more of an answer than it needs, also of one that never ends', async () => {
    respond = ({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n{"query":"web","results":["');
      const goOn = () => {
        while (socket.writable && socket.write('x'.repeat(65_536)));
      };
      socket.on('drain', goOn).on('error', () => undefined);
      goOn();
    };
    enter(engine.baseUrl);
    assert.equal(await fake.run(commands.setUpSearch), true);
    assert.equal(setting(), engine.baseUrl);
  });

  it('finds a server on this machine by its configuration, without a search', async () => {
    const { findSearxng } = await import('../../../../src/extension/search/set-up.ts');
    const asked: string[] = [];
    const fetched: typeof fetch = (url, init) => {
      asked.push(String(url));
      return fetch(url, init);
    };
    const candidates = ['http://127.0.0.1:9', engine.baseUrl];
    respond = (to) => to.json({ engines: [], categories: ['general'] });
    assert.equal(await findSearxng(fetched, candidates, patience), engine.baseUrl);
    assert.deepEqual(asked, ['http://127.0.0.1:9/config', `${engine.baseUrl}/config`]);
    for (const other of [
      (to: Exchange) => to.json({ results: [] }),
      (to: Exchange) => to.json(null),
      (to: Exchange) => to.answer(200, '<html>'),
      (to: Exchange) => to.answer(404, '{"engines":[]}'),
    ]) {
      respond = other;
      assert.equal(await findSearxng(fetched, candidates, patience), undefined);
    }
  });

  it('leads to the installation of SearXNG', async () => {
    fake.answer = (kind, box) => {
      if (kind !== 'box') return undefined;
      const { buttons, hide } = box as { buttons: object[]; hide(): void };
      setImmediate(hide);
      return { button: buttons[0] };
    };
    assert.equal(await fake.run(commands.setUpSearch), false);
    assert.deepEqual(fake.ran, [
      { id: 'open in the browser', args: ['https://docs.searxng.org/admin/installation.html'] },
    ]);
  });

  it('removes the engine when the input is left empty', async () => {
    fake.settings.set('webdata.search.endpoint', engine.baseUrl);
    const boxes = enter('');
    assert.equal(await fake.run(commands.setUpSearch), false);
    assert.match(boxes[0]?.prompt ?? '', /Leave it empty to remove/);
    assert.equal(setting(), undefined);
    assert.deepEqual(sent.at(-1), { type: 'search-endpoint', endpoint: null });
  });

  it('says what is wrong with a URL below the input, and saves nothing', async () => {
    const cases: [((exchange: Exchange) => void) | undefined, string, RegExp][] = [
      [undefined, 'ftp://a.test', /Enter an http or https URL/],
      [undefined, 'http://user:secret@a.test', /without a user name/],
      [undefined, 'http://127.0.0.1:9', /Can't reach 127\.0\.0\.1:9: /],
      [(to) => to.answer(200, '<html>'), engine.baseUrl, /isn't a SearXNG server/],
      [(to) => to.json({ ok: true }), engine.baseUrl, /isn't a SearXNG server/],
      [(to) => to.answer(404, ''), engine.baseUrl, /isn't a SearXNG server/],
      [(to) => to.answer(403, ''), engine.baseUrl, /Add json to search\.formats/],
      [(to) => to.answer(401, ''), engine.baseUrl, /asks for a login/],
      [(to) => to.answer(429, ''), engine.baseUrl, /server\.limiter/],
      [(to) => to.answer(500, ''), engine.baseUrl, /returned status 500/],
      [(to) => to.answer(301, '', { location: 'https://b.test/' }), engine.baseUrl, /redirects to b\.test/],
      [(to) => to.answer(302, ''), engine.baseUrl, /redirects\. Enter/],
    ];
    for (const [fault, text, problem] of cases) {
      if (fault) respond = fault;
      let box: (Box & { hide(): void }) | undefined;
      fake.answer = async (kind, shown) => {
        if (kind !== 'box') return undefined;
        box = shown as typeof box;
        return { type: text };
      };
      const done = fake.run(commands.setUpSearch);
      await eventually(() => assert.match(box?.validationMessage ?? '', problem));
      box?.hide();
      assert.equal(await done, false);
      assert.equal(setting(), undefined);
    }
  });
});

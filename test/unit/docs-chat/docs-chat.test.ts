import assert from 'node:assert/strict';
import { createClient, createEmbeddedClient } from '../../../src/client/client.ts';
import type { Access } from '../../../src/extension/connection/connection.ts';
import { RateLimit } from '../../../src/extension/connection/polling/rate-limit.ts';
import { type Target, targetOf } from '../../../src/extension/connection/target.ts';
import { type ChatConnection, DocsChat } from '../../../src/extension/docs-chat/chat/chat.ts';
import { fromHistory, keepHistory, toHistory } from '../../../src/extension/docs-chat/chat/chat-history.ts';
import { ChatStore, maxTurns, type Turn } from '../../../src/extension/docs-chat/chat/chat-store.ts';
import { examples, shownState, shownTurn } from '../../../src/extension/docs-chat/chat/shown-turns.ts';
import { answerForChat, ModelAnswers } from '../../../src/extension/docs-chat/vscode-chat/chat-answer.ts';
import { Signal } from '../../../src/extension/ui/lifecycle.ts';
import { maxTextLength, requests } from '../../../src/webviews/docs/messages.ts';
import { bundledDocs } from '../../harness/bundled-docs.ts';
import { eventually } from '../../harness/eventually.ts';
import { type Exchange, type FaultyServer, startFaultyServer } from '../../harness/faulty-server.ts';
import { freePort } from '../../harness/free-port.ts';
import { hostileAnswer } from '../../harness/hostile-markdown.ts';

const answer = {
  requestId: 'req_1',
  answer: 'At most 4000 characters.',
  evidence: [{ pathOrUrl: 'docs-search.md#how-long-may-a-question-be', reason: 'Paragraph, line 16' }],
  usage: { inputTokens: 7, outputTokens: 5, totalTokens: 12 },
  durationMs: 3,
};

describe('questions to a server', () => {
  let server: FaultyServer;
  let reply: (exchange: Exchange) => void;
  let chat: DocsChat;
  let access: () => Promise<Access>;
  const activity: { text?: string; changed: Signal<void> } = { changed: new Signal() };
  const now = Date.now();
  const rateLimit = new RateLimit(() => now);
  let target: Target;

  beforeEach(async () => {
    reply = (exchange) => exchange.json(answer);
    server = await startFaultyServer((_arrival, exchange) => reply(exchange));
    target = targetOf(server.baseUrl);
    access = async () => accessTo(server.baseUrl);
    rateLimit.reset();
    const connection: ChatConnection = {
      rateLimit,
      get target() {
        return target;
      },
      get activity() {
        return activity.text;
      },
      onActivityChanged: activity.changed,
      access: () => access(),
    };
    chat = new DocsChat({ connection, docs: bundledDocs, isTrusted: () => true, log: { warn: () => undefined } });
  });
  afterEach(async () => {
    chat.dispose();
    await server.close();
  });

  function accessTo(baseUrl: string, embedded = false): Access {
    const options = { baseUrl, apiKey: 'key-of-a-test-0123456789', fetch: globalThis.fetch };
    return {
      target,
      baseUrl,
      client: createClient(options),
      ...(embedded && { embedded: createEmbeddedClient(options) }),
    };
  }
  const last = (): Turn => chat.store.turns.at(-1) ?? assert.fail('nothing was asked');

  it('are sent unchanged, and answered with their evidence', async () => {
    await chat.ask('  How long may a question be?\n');
    assert.equal(server.arrivals[0]?.target, '/v2/support/docs-search');
    assert.deepEqual(JSON.parse(server.arrivals[0]?.body ?? ''), { question: 'How long may a question be?' });
    const shown = shownTurn(last());
    assert.deepEqual(
      [shown.state, shown.answer, shown.evidence],
      [
        'answered',
        'At most 4000 characters.',
        [{ name: 'How long may a question be?', place: 'docs-search.md', reason: 'Paragraph, line 16', opens: true }],
      ],
    );
    assert.equal(shown.foot, `127.0.0.1:${server.port} · 3 ms · 12 tokens`);
    assert.equal(shown.followUps.length, 2);
  });

  it("without evidence aren't answered", async () => {
    for (const evidence of [[], null, undefined]) {
      reply = (exchange) => exchange.json({ answer: 'The texts do not say.', evidence });
      await chat.ask('Why?');
      assert.deepEqual([last().state, last().answer], ['unanswered', 'The texts do not say.']);
    }
  });

  it('are sent one at a time', async () => {
    const first = chat.ask('One?');
    await chat.ask('Two?');
    await first;
    await chat.ask('   ');
    assert.deepEqual(
      chat.store.turns.map(({ question }) => question),
      ['One?'],
    );
  });

  it('end immediately when they are stopped, while they are sent or the service starts', async () => {
    reply = () => undefined;
    const sent = chat.ask('One?');
    await eventually(() => assert.equal(server.arrivals.length, 1));
    chat.stop();
    await sent;
    assert.equal(last().state, 'stopped');
    access = () => new Promise(() => undefined);
    const starting = chat.ask('Two?');
    activity.text = 'starting the service';
    activity.changed.fire();
    assert.equal(last().phase, 'starting the service');
    chat.stop();
    await starting;
    assert.deepEqual([last().state, last().phase], ['stopped', undefined]);
    activity.text = undefined;
  });

  it('that fail show why, and can be sent again', async () => {
    const failures: [status: number, text: RegExp, actions: string[]][] = [
      [401, /401.*key/, ['connect', 'embedded']],
      [404, /doesn't answer questions/, ['embedded', 'connect']],
      [501, /doesn't answer questions/, ['embedded', 'connect']],
      [503, /503/, ['again', 'log', 'embedded']],
    ];
    for (const [status, text, actions] of failures) {
      reply = (exchange) => exchange.json({ success: false, error: 'No.' }, status);
      await chat.ask(`What of ${status}?`);
      const { state, failure } = last();
      assert.equal(state, 'failed');
      assert.match(failure?.text ?? '', text);
      assert.deepEqual(
        failure?.actions.map(({ name }) => name),
        actions,
      );
    }
    reply = (exchange) => exchange.json(answer);
    await chat.again(last().id);
    assert.deepEqual([last().state, last().failure, chat.store.turns.length], ['answered', undefined, failures.length]);
  });

  it('show until when a server limits requests, in all views', async () => {
    reply = (exchange) => exchange.json({ success: false, error: 'Slow down.' }, 429, { 'retry-after': '90' });
    await chat.ask('Now?');
    assert.match(last().failure?.text ?? '', /^The server is rate limiting requests\. Ask again at \d\d:\d\d:\d\d\.$/);
    assert.equal(rateLimit.until, now + 90_000);
  });

  it("report that a server can't be reached", async () => {
    const port = await freePort();
    access = async () => accessTo(`http://127.0.0.1:${port}`);
    await chat.ask('Anybody?');
    assert.match(last().failure?.text ?? '', /ECONNREFUSED/);
    assert.deepEqual(
      last().failure?.actions.map(({ name }) => name),
      ['again', 'log', 'embedded'],
    );
  });

  it('that are too long are rejected before anything is sent', async () => {
    await chat.ask('x'.repeat(4_001));
    assert.match(last().failure?.text ?? '', /4,000/);
    assert.equal(server.arrivals.length, 0);
  });

  it('with a hostile answer open nothing and hide nothing (EXT-09)', async () => {
    reply = (exchange) => exchange.json(hostileAnswer('http://127.0.0.1:9'));
    await chat.ask('What do I run?');
    const { answer: text, evidence } = last();
    assert.doesNotMatch(text ?? '', /[\p{Default_Ignorable_Code_Point}\r]/u);
    assert.match(text ?? '', /⟦U\+001B⟧/);
    assert.deepEqual(
      evidence.map(({ opens }) => opens),
      [false, false, false, false, true],
    );
    access = async () => accessTo(server.baseUrl, true);
    await chat.ask('And of the embedded service?');
    assert.deepEqual(
      last().evidence.map(({ opens }) => opens),
      [true, false, false, false, true],
    );
  });

  it('with a huge answer are truncated', async () => {
    reply = (exchange) => exchange.json({ ...answer, answer: '>'.repeat(10 * 1024 * 1024) });
    await chat.ask('How much?');
    assert.equal(last().answer?.length, 200_001);
  });
});

describe("answers in VS Code's chat", () => {
  it('are the same, with references and follow-up questions', async () => {
    const server = await startFaultyServer((_arrival, exchange) => exchange.json(answer));
    const { markdown, references, followUps } = await answerForChat(parts(server), 'How long?', signal());
    assert.equal(markdown, 'At most 4000 characters\\.');
    assert.deepEqual(references, [{ kind: 'bundled', file: 'docs-search.md', anchor: 'how-long-may-a-question-be' }]);
    assert.equal(followUps.length, 2);
    assert.equal(
      await new ModelAnswers(parts(server).connection).answer('How long?', signal()),
      'At most 4000 characters.\n\nSources:\n- docs-search.md#how-long-may-a-question-be (Paragraph, line 16)',
    );
    await server.close();
  });

  it('ignore links from a hostile server', async () => {
    const server = await startFaultyServer((_arrival, exchange) => exchange.json(hostileAnswer('http://127.0.0.1:9')));
    const { references } = await answerForChat(parts(server), 'What do I run?', signal());
    assert.deepEqual(references, [{ kind: 'web', url: 'https://evil.test/page' }]);
    await server.close();
  });

  const signal = () => new AbortController().signal;
  const parts = ({ baseUrl }: FaultyServer) => {
    const client = createClient({ baseUrl, apiKey: 'key-of-a-test-0123456789', fetch: globalThis.fetch });
    const access = async () => ({ target: targetOf(baseUrl), baseUrl, client });
    return { connection: { rateLimit: new RateLimit(), access }, docs: bundledDocs };
  };
});

describe('the history of questions', () => {
  const turn = (id: string, changes: Partial<Turn> = {}): Turn => ({
    id,
    question: `Question ${id}?`,
    askedAt: 1_700_000_000_000,
    state: 'answered',
    answer: 'Yes.',
    evidence: [{ pathOrUrl: 'limits.md', name: 'Limits', place: 'limits.md', reason: 'Line 1', opens: true }],
    embedded: true,
    server: 'embedded',
    durationMs: 2,
    followUps: ['And?'],
    ...changes,
  });

  it('is restored unchanged', () => {
    const kept = fromHistory(JSON.parse(JSON.stringify(toHistory([turn('a'), turn('b', { state: 'asking' })]))));
    assert.deepEqual(kept, [turn('a')]);
  });

  it('contains no secret of a question, and failed questions can be sent again', () => {
    const failure = { text: 'No answer to Bearer abcdefgh12345678', actions: [] };
    const stored = toHistory([turn('a', { question: 'Is password: swordfish good?', state: 'failed', failure })]);
    assert.doesNotMatch(JSON.stringify(stored), /swordfish|abcdefgh/);
    assert.deepEqual(
      fromHistory(stored)[0]?.failure?.actions.map(({ name }) => name),
      ['again'],
    );
  });

  it('is limited in size', () => {
    const store = new ChatStore();
    for (let number = 0; number < maxTurns + 5; number++) store.add(turn(String(number)));
    assert.deepEqual([store.turns.length, store.turns[0]?.id], [maxTurns, '5']);
    const [kept] = toHistory([turn('a', { answer: 'x'.repeat(100_000) })]) as Turn[];
    assert.equal(kept?.answer?.length, 20_001);
  });

  it('is ignored if it is damaged or of another version (STO-05, EXT-15)', () => {
    for (const stored of [
      undefined,
      null,
      'x',
      {},
      [1, null, 'x', [], {}, { id: 'a' }, { ...turn('a'), state: 'odd' }],
    ])
      assert.deepEqual(fromHistory(stored), []);
    for (const odd of [{ evidence: [{ pathOrUrl: 'a' }] }, { followUps: [1] }, { answer: {} }, { askedAt: 'today' }])
      assert.deepEqual(fromHistory([{ ...turn('a'), ...odd }, turn('b')]), [turn('b')]);
  });

  it('is written when a question has ended, and when all are cleared', () => {
    const kept = new Map<string, unknown>();
    const memento = {
      get: (key: string) => kept.get(key),
      update: async (key: string, value: unknown) => void kept.set(key, value),
    };
    const store = new ChatStore();
    keepHistory(store, memento);
    store.add(turn('a', { state: 'asking' }));
    assert.equal(kept.get('webdata.docs'), undefined);
    store.change('a', { state: 'answered' });
    assert.equal((kept.get('webdata.docs') as unknown[]).length, 1);
    const next = new ChatStore();
    keepHistory(next, memento);
    assert.equal(next.turns[0]?.question, 'Question a?');
    store.clear();
    assert.deepEqual(kept.get('webdata.docs'), []);
  });
});

describe('the Docs view', () => {
  it("shows its purpose, and where questions aren't possible", () => {
    const look = { target: targetOf(''), trusted: true, docs: ['limits.md'], maxQuestionLength: 4_000 };
    const state = shownState([], look);
    assert.deepEqual([state.examples, state.notice], [examples, undefined]);
    assert.match(shownState([], { ...look, target: targetOf('https://api.test') }).welcome, /^Ask api\.test /);
    assert.equal(shownState([], { ...look, trusted: false }).notice?.action.name, 'trust');
  });

  it('accepts only known messages (EXT-04)', () => {
    assert.ok(requests.ask({ question: 'x' }));
    assert.ok(requests.openEvidence({ id: 'a', index: 0 }));
    assert.ok(requests.act({ action: 'addSource' }));
    assert.ok(requests.help({ id: 'a', action: 'embedded' }));
    const bad: [keyof typeof requests, unknown][] = [
      ['ask', {}],
      ['ask', { question: 'x'.repeat(maxTextLength + 1) }],
      ['stop', null],
      ['again', { id: 7 }],
      ['openEvidence', { id: 'a', index: 0.5 }],
      ['openEvidence', { id: 'a', index: 'https://evil.test' }],
      ['openLink', { href: 'x'.repeat(9_000) }],
      ['insert', { text: 'x' }],
      ['act', { action: 'workbench.action.quit' }],
      ['act', { action: '__proto__' }],
      ['help', { id: 'a', action: 'workbench.action.quit' }],
    ];
    for (const [name, params] of bad)
      assert.equal(requests[name](params), false, `${name} ${JSON.stringify(params)?.slice(0, 50)}`);
  });
});

import assert from 'node:assert/strict';
import { ApiError, CancelledError, ConnectionError } from '../../../src/client/errors.ts';
import { encodePlace, type Place } from '../../../src/contract/embedded.ts';
import type { ExecutionResult } from '../../../src/contract/sessions/execution.ts';
import { runForChat } from '../../../src/extension/runs/agent-runs.ts';
import { wholeFile } from '../../../src/extension/runs/editor/snippet.ts';
import { projectImportError } from '../../../src/extension/runs/project/project-imports.ts';
import type { RunParts } from '../../../src/extension/runs/results/outcome.ts';
import { fromHistory, toHistory } from '../../../src/extension/runs/run-history.ts';
import { limitError } from '../../../src/extension/runs/run-limit.ts';
import type { RunRequest } from '../../../src/extension/runs/run-request.ts';
import { RunStore } from '../../../src/extension/runs/run-store.ts';
import { Runs } from '../../../src/extension/runs/runs.ts';
import type { SessionSource } from '../../../src/extension/runs/session/target-sessions.ts';

type Execute = (
  sessionId: string,
  code: string,
  options: { signal: AbortSignal; headers?: unknown; timeoutMs?: number },
) => Promise<ExecutionResult>;

const call = { endpoint: 'executeInBrowserSession', purpose: 'run code', method: 'POST', path: '/x', host: 'here' };
const gone = (status = 410) => new ApiError(call, { status, sentence: 'gone' });
const request = (text: string, change: Partial<RunRequest> = {}): RunRequest => ({
  snippet: wholeFile({ name: 'a.js', text }),
  languageId: 'javascript',
  language: 'node',
  timeout: 30,
  ...change,
});

/** Runs over a server that is played by a function. */
function setUp(
  execute: Execute,
  options: {
    embedded?: boolean;
    place?: Place;
    checkImports?: () => void;
    mayInstall?: () => Promise<boolean>;
    /** What the service answers about a run whose window has left. */
    outcome?: Promise<ExecutionResult>;
  } = {},
) {
  const { embedded = true, place, checkImports = () => undefined } = options;
  let made = 0;
  let current: { id: string; shortId: string } | undefined;
  const sessions: SessionSource & { ran: string[] } = {
    ran: [],
    async ensure() {
      current ??= { id: `s${++made}`, shortId: `s${made}` };
      return current;
    },
    async replace(endedId) {
      if (current?.id === endedId) current = undefined;
      return await this.ensure();
    },
    ranIn: (id) => sessions.ran.push(id),
    sessionStarted: () => undefined,
  };
  const replaced: string[] = [];
  const failures: unknown[] = [];
  const store = new RunStore();
  const stopped: string[] = [];
  const keptRuns = {
    awaitRun: (async (_request: unknown, { timeoutMs }: { timeoutMs: number }) => {
      assert.equal(timeoutMs, Number.POSITIVE_INFINITY);
      if (!options.outcome) throw new Error('not expected');
      return await options.outcome;
    }) as never,
    stopRun: (async ({ params }: { params: { runId: string } }) => {
      stopped.push(params.runId);
      return { success: true };
    }) as never,
  };
  const runs = new Runs({
    store,
    sessions,
    access: async () => ({
      client: {
        executeInBrowserSession: (({ params, body }: never, callOptions: never) =>
          execute((params as { sessionId: string }).sessionId, (body as { code: string }).code, callOptions)) as never,
        interactWithScrape: (({ params, body }: never, callOptions: never) =>
          execute(
            `job ${(params as { jobId: string }).jobId}`,
            (body as { code?: string; prompt?: string }).code ?? `prompt: ${(body as { prompt: string }).prompt}`,
            callOptions,
          )) as never,
      },
      ...(embedded && { embedded: keptRuns }),
    }),
    existingAccess: async () => ({ embedded: keptRuns }),
    place: async () => place,
    mayInstall: options.mayInstall ?? (async () => true),
    checkImports,
    onReplaced: (ended) => replaced.push(ended.id),
    onFailure: (error) => failures.push(error),
    now: () => 1_000,
    monotonic: () => 5,
  });
  return {
    runs,
    store,
    sessions,
    replaced,
    failures,
    stopped,
    use: (id: string) => (current = { id, shortId: id }),
    made: () => made,
  };
}

/** A server that responds when a test lets it. */
function slow() {
  const calls: { code: string; sessionId: string; answer(result: ExecutionResult): void }[] = [];
  const execute: Execute = (sessionId, code, { signal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<ExecutionResult>();
    signal.addEventListener('abort', () => reject(new CancelledError(call, true)));
    calls.push({ code, sessionId, answer: resolve });
    return promise;
  };
  return { calls, execute };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

describe('a run', () => {
  it('end without a session if what they need may not be installed', async () => {
    const { runs, made } = setUp(async () => assert.fail('ran'), { mayInstall: async () => false });
    const { run } = await runs.run(request('1', { language: 'python' }));
    assert.equal(run.state, 'cancelled');
    assert.match(run.notice ?? '', /^Nothing was installed/);
    assert.equal(made(), 0);
  });

  it('gets a session, runs in it, and the next one uses the same', async () => {
    const { runs, made } = setUp(async (_id, code) => ({ success: true, result: code, exitCode: 0 }));
    const { run } = await runs.run(request('1'));
    const { run: second } = await runs.run(request('2'));
    assert.deepEqual([run.state, run.result, run.sessionId], ['ok', '1', 's1']);
    assert.deepEqual([second.result, second.sessionId, made()], ['2', 's1', 1]);
  });

  it('shows an error once, with the name and lines of its file', async () => {
    const error = 'TypeError: bad\n    at snippet.js:2:3';
    const { runs } = setUp(async () => ({ success: true, error, stderr: `warning\n${error}\n`, exitCode: 1 }));
    const snippet = { text: 'a\nb', start: { line: 13, character: 0 }, lastLine: 14, title: 'cell 1' };
    const { run, position } = await runs.run(request('', { snippet, document: 'file:///project/err.js' }));
    assert.equal(run.error, 'TypeError: bad\n    at err.js:15:3');
    assert.equal(run.stderr, 'warning\n');
    assert.deepEqual([run.file, position], ['err.js', { line: 1, character: 2 }]);
  });

  it('has no position if it was killed, and knows the sizes of truncated parts', async () => {
    const sizes = { stdout: 2_300_000, stderr: 0, result: 0 };
    const { runs } = setUp(async () => ({
      success: true,
      stdout: 'x',
      error: 'The run was killed after its timeout of 30 s.',
      exitCode: 137,
      killed: true,
      truncated: true,
      sizes,
    }));
    const { run, position } = await runs.run(request('for (;;);', { document: 'file:///project/loop.js' }));
    assert.deepEqual([run.state, run.killed, position], ['failed', true, undefined]);
    assert.deepEqual(run.sizes, sizes);
  });

  it('sends its run id only to the embedded service', async () => {
    const seen: unknown[] = [];
    const execute: Execute = async (_id, _code, { headers }) => {
      seen.push(headers);
      return { success: true };
    };
    const { run } = await setUp(execute).runs.run(request('1'));
    await setUp(execute, { embedded: false }).runs.run(request('1'));
    assert.deepEqual(seen, [{ 'x-webdata-run': run.id, 'x-webdata-run-limit': '30' }, undefined]);
  });

  it('has no limit on the embedded service without a setting, and the longest one elsewhere', async () => {
    const seen: unknown[] = [];
    const execute: Execute = async (_id, _code, { headers, timeoutMs }) => {
      seen.push([(headers as Record<string, string> | undefined)?.['x-webdata-run-limit'], timeoutMs]);
      return { success: true };
    };
    await setUp(execute).runs.run(request('1', { timeout: null }));
    await setUp(execute, { embedded: false }).runs.run(request('1', { timeout: null }));
    assert.deepEqual(seen, [
      ['none', Number.POSITIVE_INFINITY],
      [undefined, undefined],
    ]);
  });

  it('names the setting that ended it, or the limit of the server', async () => {
    const killed: Execute = async () => ({
      success: true,
      error: 'The run was killed after its timeout of 5 s.',
      exitCode: 137,
      killed: true,
    });
    const own = (await setUp(killed).runs.run(request('1', { timeout: 5 }))).run;
    assert.equal(own.error, 'The run was stopped after 5 s, the limit in the setting webdata.run.timeout.');
    assert.deepEqual(
      [own.remedy?.title, own.remedy?.command, own.remedy?.args],
      ['Change the Limit', 'workbench.action.openSettings', ['webdata.run.timeout']],
    );
    const elsewhere = (await setUp(killed, { embedded: false }).runs.run(request('1', { timeout: null }))).run;
    assert.equal(
      elsewhere.error,
      'The run was stopped after 300 s, the limit of this server. The embedded service has no limit.',
    );
    assert.equal(elsewhere.remedy?.title, 'Use Embedded Service');
    const prompt = { killed: false, error: 'The prompt timed out.' } as RunParts;
    assert.deepEqual(limitError(prompt, { timeout: 300, isPrompt: true }, true), {
      error: 'The run was stopped after 300 s, the limit of this server.',
    });
  });

  it('is stopped at the service, which goes on when only the connection closes', async () => {
    const { calls, execute } = slow();
    const { runs, store, stopped } = setUp(execute);
    const running = runs.run(request('1'));
    await until(() => calls.length === 1);
    const [run] = store.running;
    assert.equal(run?.kept, true);
    runs.stop(run?.id ?? '');
    assert.equal((await running).run.state, 'cancelled');
    assert.deepEqual(stopped, [run?.id]);
  });

  it('goes on after a reload of its window, and ends with its outcome', async () => {
    const { promise, resolve } = Promise.withResolvers<ExecutionResult>();
    const { calls, execute } = slow();
    const before = setUp(execute);
    void before.runs.run(request('1'));
    await until(() => calls.length === 1);
    const id = before.store.runs[0]?.id ?? '';
    before.store.apply({ kind: 'output', runId: id, sessionId: 's1', stream: 'stdout', text: 'x'.repeat(3_000) });
    const saved: unknown = JSON.parse(JSON.stringify(toHistory(before.store.runs)));
    const after = setUp(execute, { outcome: promise });
    after.store.restore(fromHistory(saved));
    assert.deepEqual(after.store.running.length, 1);
    const resumed = after.runs.resume();
    assert.deepEqual(after.store.runs[0]?.unkept, { stdout: 3_000 });
    resolve({ success: true, result: '42', exitCode: 0 });
    await resumed;
    const [run] = after.store.runs;
    assert.deepEqual([run?.stdout, run?.unkept, run?.unread], [undefined, undefined, undefined]);
    assert.deepEqual([run?.state, run?.result, calls.length], ['ok', '42', 1]);
  });

  it('of Python that forgets to await says so', async () => {
    const error = "TypeError: 'coroutine' object is not iterable";
    const { runs } = setUp(async () => ({ success: true, error, stderr: '', exitCode: 1 }));
    const python = { languageId: 'python', language: 'python' } as const;
    const { run } = await runs.run(request('for a in page.title(): pass', python));
    assert.match(run.notice ?? '', /must be awaited here\. Add "await", as in await page\.title\(\)\./);
    assert.equal((await runs.run(request('1'))).run.notice, undefined, 'code of other languages');
  });

  it('of TypeScript with an enum says what to write instead', async () => {
    const { runs } = setUp(async () => ({ success: true }));
    const { run } = await runs.run(request('enum Size { Small }', { languageId: 'typescript' }));
    assert.match(run.error ?? '', /^TypeScript: Enums can't run, .* Use an object: const Size = /);
  });

  it('sends its place only to the embedded service', async () => {
    const seen: unknown[] = [];
    const execute: Execute = async (_id, _code, { headers }) => {
      seen.push((headers as Record<string, string> | undefined)?.['x-webdata-place']);
      return { success: true };
    };
    const place: Place = { file: '/shop/src/tea é.ts', directory: '/shop', envFile: '/shop/.env' };
    await setUp(execute, { place }).runs.run(request('1'));
    await setUp(execute, { place, embedded: false }).runs.run(request('1'));
    assert.deepEqual(seen, [encodePlace(place), undefined]);
    assert.match(encodePlace(place), /^[\x21-\x7e]+$/);
  });

  it("fails at the line of an import that another server can't read, before a session is created", async () => {
    const position = { line: 2, character: 7 };
    const checkImports = () => {
      throw projectImportError({ name: './helper', position });
    };
    const execute: Execute = async () => ({ success: true });
    const elsewhere = setUp(execute, { embedded: false, checkImports });
    const finished = await elsewhere.runs.run(request("import './helper'"));
    assert.deepEqual([finished.run.state, finished.position, elsewhere.made()], ['failed', position, 0]);
    assert.match(finished.run.error ?? '', /^Can't import "\.\/helper": this server can't read/);
    assert.equal(finished.run.remedy?.title, 'Use Embedded Service');
    const here = await setUp(execute, { checkImports }).runs.run(request("import './helper'"));
    assert.equal(here.run.state, 'ok');
  });

  for (const [name, bad, expected] of [
    ['no code', request(''), /^There is nothing to run: a\.js is empty\.$/],
    ['white space only', request(' \n\t'), /^There is nothing to run: a\.js is empty\.$/],
    ['too much code', request('x'.repeat(100_001)), /got 100,001/],
    ['a timeout of 0', request('1', { timeout: 0 }), /1 to 300 \(seconds\)/],
    ['an unknown language', request('1', { language: 'ruby' as never }), /python, node, bash/],
  ] as const) {
    it(`with ${name} is rejected before a session is created`, async () => {
      const { runs, made } = setUp(async () => assert.fail('it was sent'));
      const { run } = await runs.run(bad);
      assert.equal(run.state, 'failed');
      assert.match(run.error ?? '', expected);
      assert.equal(made(), 0);
    });
  }

  it('says of code with comments only that there is nothing to run, without a session', async () => {
    for (const [language, text] of [
      ['node', '// %% notes\n/* of\nmine */ // and more\n'],
      ['node', '#!/usr/bin/env node\n// nothing yet'],
      ['python', '# %% notes\n\n  # more'],
      ['bash', '#!/bin/bash\n# later\n'],
    ] as const) {
      const { runs, made } = setUp(async () => assert.fail('it was sent'));
      const { run } = await runs.run(request(text, { language }));
      assert.deepEqual([run.state, made()], ['ok', 0]);
      assert.equal(run.notice, 'There is nothing to run: a.js has only comments.');
    }
    for (const [language, text] of [
      ['node', '// a\n1 // b'],
      ['node', '/* a */ "// b"'],
      ['python', "'''# text'''"],
      ['bash', ': # nothing'],
    ] as const) {
      const { runs } = setUp(async () => ({ success: true }));
      assert.equal((await runs.run(request(text, { language }))).run.notice, undefined);
    }
  });

  it('counts code points', async () => {
    const { runs } = setUp(async () => ({ success: true }));
    assert.equal((await runs.run(request(`'${'🌍'.repeat(99_998)}'`))).run.state, 'ok');
  });

  it("of TypeScript that can't be stripped gives the position, and sends nothing", async () => {
    const { runs, made } = setUp(async () => assert.fail('it was sent'));
    const { run, position } = await runs.run(request('let a;\nenum B { C }', { languageId: 'typescript' }));
    assert.deepEqual([run.state, position, made()], ['failed', { line: 1, character: 0 }, 0]);
  });
});

describe('a session that has ended', () => {
  for (const status of [410, 404]) {
    it(`is replaced with a notice, and the code runs in the new one (${status})`, async () => {
      const { runs, replaced, use } = setUp(async (id) => {
        if (id === 'old') throw gone(status);
        return { success: true, result: 'ok' };
      });
      use('old');
      const { run } = await runs.run(request('1'));
      assert.deepEqual([run.state, run.sessionId, replaced], ['ok', 's1', ['old']]);
      assert.match(run.notice ?? '', /old has ended/);
    });
  }

  it('is known to have ended, and the new one is named before the code is sent', async () => {
    const said: unknown[] = [];
    const { runs, store, sessions, replaced } = setUp(async () => {
      said.push(store.runs[0]?.notice);
      return { success: true };
    });
    const { ensure } = sessions;
    sessions.ensure = async (onEnded) => {
      onEnded?.({ id: 'old', shortId: 'old' });
      said.push(store.runs[0]?.phase);
      return await ensure();
    };
    await runs.run(request('1'));
    assert.deepEqual(said, [
      'session old has ended: getting a new session',
      'Session old has ended. This run uses the new session s1, without the pages and variables of the old one.',
    ]);
    assert.deepEqual(replaced, ['old']);
  });

  it('is replaced once: a second end is an error', async () => {
    const { runs, made } = setUp(async () => {
      throw gone();
    });
    const { run } = await runs.run(request('1'));
    assert.deepEqual([run.state, made()], ['failed', 2]);
  });

  it("isn't replaced once the code has printed something: code never runs twice", async () => {
    let calls = 0;
    const { runs, store, replaced } = setUp(async (sessionId) => {
      calls++;
      store.apply({ kind: 'output', runId: store.runs[0]?.id ?? '', sessionId, stream: 'stdout', text: 'paid' });
      throw gone();
    });
    const { run } = await runs.run(request('1'));
    assert.deepEqual([run.state, run.stdout, calls, replaced], ['failed', 'paid', 1, []]);
  });

  it('is replaced by one new session for all waiting runs', async () => {
    const { runs, use, made } = setUp(async (id) => {
      if (id === 'old') throw gone();
      return { success: true };
    });
    use('old');
    const ended = await Promise.all([runs.run(request('1')), runs.run(request('2')), runs.run(request('3'))]);
    assert.deepEqual(
      ended.map(({ run }) => [run.state, run.sessionId]),
      Array(3).fill(['ok', 's1']),
    );
    assert.equal(made(), 1);
  });
});

describe('several runs', () => {
  it('in one session run one after another', async () => {
    const server = slow();
    const { runs, store } = setUp(server.execute);
    const both = [runs.run(request('first')), runs.run(request('second'))];
    await until(() => server.calls.length === 1 && store.runs[0]?.phase !== 'getting a session');
    assert.match(store.runs[0]?.phase ?? '', /waiting/);
    server.calls[0]?.answer({ success: true });
    await until(() => server.calls.length === 2);
    server.calls[1]?.answer({ success: true });
    await Promise.all(both);
    assert.deepEqual(
      server.calls.map(({ code }) => code),
      ['first', 'second'],
    );
  });

  it('in two sessions run in parallel', async () => {
    const server = slow();
    const { runs, use, store } = setUp(server.execute);
    use('a');
    const first = runs.run(request('1'));
    await until(() => server.calls.length === 1);
    use('b');
    const second = runs.run(request('2'));
    await until(() => server.calls.length === 2);
    assert.deepEqual([store.isBusy('a'), store.isBusy('b')], [true, true]);
    for (const { answer } of server.calls) answer({ success: true });
    await Promise.all([first, second]);
    assert.deepEqual([store.isBusy('a'), store.isBusy('b')], [false, false]);
  });
});

describe('stopping a run', () => {
  it('ends it immediately and keeps its output', async () => {
    const server = slow();
    const { runs, store } = setUp(server.execute);
    const ended = runs.run(request('1'));
    await until(() => server.calls.length === 1);
    const id = store.runs[0]?.id ?? '';
    store.apply({ kind: 'output', runId: id, sessionId: 's1', stream: 'stdout', text: 'half' });
    runs.stop(id);
    const { run } = await ended;
    assert.deepEqual([run.state, run.stdout, run.notice], ['cancelled', 'half', undefined]);
  });

  it('warns on other servers that the code may run until its timeout', async () => {
    const server = slow();
    const { runs, store } = setUp(server.execute, { embedded: false });
    const ended = runs.run(request('1'));
    await until(() => server.calls.length === 1);
    runs.stop(store.runs[0]?.id ?? '');
    assert.match((await ended).run.notice ?? '', /timeout of 30 s/);
  });

  it('removes a waiting run from the queue', async () => {
    const server = slow();
    const { runs, store } = setUp(server.execute);
    const first = runs.run(request('first'));
    await until(() => server.calls.length === 1);
    const second = runs.run(request('second'));
    const third = runs.run(request('third'));
    await until(() => store.runs.every((run) => run.sessionId !== ''));
    runs.stop(store.runs[1]?.id ?? '');
    assert.equal((await second).run.state, 'cancelled');
    server.calls[0]?.answer({ success: true });
    await first;
    await until(() => server.calls.length === 2);
    server.calls[1]?.answer({ success: true });
    await third;
    assert.deepEqual(
      server.calls.map(({ code }) => code),
      ['first', 'third'],
    );
  });

  it("doesn't wait for a session that is being created", async () => {
    const { runs, sessions, store } = setUp(async () => assert.fail('it was sent'));
    sessions.ensure = () => new Promise(() => {});
    const ended = runs.run(request('1'));
    runs.stop(store.runs[0]?.id ?? '');
    assert.equal((await ended).run.state, 'cancelled');
  });
});

describe('a run whose response is lost', () => {
  it("fails and isn't sent again", async () => {
    let calls = 0;
    const failure = {
      code: 'ECONNRESET',
      sentence: 'the connection was lost',
      hint: 'Look.',
      cause: new Error(),
      sent: true,
    };
    const { runs, failures } = setUp(async () => {
      calls++;
      throw new ConnectionError(call, failure);
    });
    const { run } = await runs.run(request('1'));
    assert.deepEqual([run.state, calls, failures.length], ['failed', 1, 1]);
    assert.match(run.error ?? '', /connection was lost/);
  });

  it("can be retried if its tools weren't installed yet", async () => {
    const cases = [
      [new ApiError(call, { status: 503, sentence: 'being installed, try again' }), 'Try again'],
      [
        new ConnectionError(call, {
          code: 'ECONNREFUSED',
          sentence: 'nothing is there',
          hint: '',
          cause: new Error(),
          sent: false,
        }),
        'Try again',
      ],
      [new ApiError(call, { status: 500, sentence: 'broken' }), undefined],
    ] as const;
    for (const [error, again] of cases) {
      const { runs } = setUp(() => Promise.reject(error));
      const { run } = await runs.run(request('1'));
      assert.deepEqual([run.state, run.again], ['failed', again]);
    }
  });

  it('offers the remedy for what is missing instead of advice for API callers', async () => {
    const cases = [
      ['NO_LANGUAGE_MODEL', 'Set Up a Language Model…', /^This prompt needs a language model, and none is set up\.$/],
      ['NO_BROWSER', 'Install Chrome…', /missing/],
      ['NO_PYTHON', 'Install Python…', /missing/],
      ['NO_NPM', 'Install npm…', /missing/],
      ['RUNNER_UNAVAILABLE', undefined, /missing/],
    ] as const;
    for (const [code, title, text] of cases) {
      const error = new ApiError(call, { status: 503, sentence: 'something is missing', code });
      for (const thrown of [error, new Error(error.message, { cause: error })]) {
        const { runs } = setUp(() => Promise.reject(thrown));
        const { run } = await runs.run(request('1'));
        assert.equal(run.remedy?.title, title, code);
        assert.match(run.error ?? '', text);
      }
    }
  });
});

describe("code of VS Code's chat", () => {
  const code = { text: '\n  await page.title()\n1', language: 'node', timeout: 5 } as const;
  const signal = () => new AbortController().signal;

  it('is a run like any other, with its code', async () => {
    const { runs, store } = setUp(async () => ({ success: true, result: '1' }));
    let started = 0;
    const ran = await runForChat(runs, code, signal(), () => started++);
    const [run] = store.runs;
    assert.deepEqual([ran.id, ran.result, ran.failure, started], [run?.id, '1', undefined, 1]);
    assert.deepEqual([run?.title, run?.code, run?.repeatable], ['Chat: await page.title()', code.text, true]);
    const again = await runs.run(runs.requestOf(ran.id) ?? assert.fail('it was forgotten'));
    assert.equal(again.run.result, '1');
  });

  it('names no setting and no other server if the limit of the chat ended it', async () => {
    const error = 'The run was killed after its timeout of 5 s.';
    const killed: Execute = async () => ({ success: true, error, exitCode: 137, killed: true });
    for (const embedded of [true, false]) {
      const ran = await runForChat(setUp(killed, { embedded }).runs, code, signal(), () => undefined);
      assert.deepEqual([ran.error, ran.remedy], [error, undefined]);
    }
  });

  it('tells an error of its own from a failure to run it', async () => {
    const own = await runForChat(setUp(async () => ({ error: 'Error: x' })).runs, code, signal(), () => undefined);
    assert.deepEqual([own.state, own.error, own.failure], ['failed', 'Error: x', undefined]);
    const failure = new ApiError(call, { status: 503, sentence: 'no browser', code: 'NO_BROWSER' });
    const execute: Execute = async () => {
      throw failure;
    };
    const failed = await runForChat(setUp(execute).runs, code, signal(), () => undefined);
    assert.deepEqual([failed.state, failed.failure], ['failed', failure]);
  });

  it('says when its session is a new one', async () => {
    let count = 0;
    const execute: Execute = async () => {
      if (++count === 1) throw gone();
      return { success: true, result: '1' };
    };
    const { notice, state } = await runForChat(setUp(execute).runs, code, signal(), () => undefined);
    assert.equal(state, 'ok');
    assert.match(notice ?? '', /^Session s1 has ended\. This run uses the new session s2/);
  });

  it('stops with its signal', async () => {
    const execute: Execute = (_id, _code, { signal: inner }) =>
      new Promise((_, reject) => {
        inner.addEventListener('abort', () => reject(new CancelledError(call, true)));
      });
    const { runs, store } = setUp(execute);
    const abort = new AbortController();
    const going = runForChat(runs, code, abort.signal, () => setImmediate(() => abort.abort(new Error('over'))));
    await assert.rejects(going, /over/);
    assert.equal(store.runs[0]?.state, 'cancelled');
    await assert.rejects(
      runForChat(runs, code, abort.signal, () => undefined),
      /over/,
    );
    assert.equal(store.runs.length, 1);
  });
});

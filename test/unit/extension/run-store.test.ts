import assert from 'node:assert/strict';
import { fromHistory, toHistory } from '../../../src/extension/runs/run-history.ts';
import { maxRuns, type Run, RunStore } from '../../../src/extension/runs/run-store.ts';

let made = 0;
function aRun(change: Partial<Run> = {}): Run {
  return {
    id: `run-${++made}`,
    sessionId: 's1',
    sessionName: '3f2a shop',
    title: 'hello.js',
    language: 'node',
    state: 'running',
    startedAt: 1_000,
    repeatable: true,
    ...change,
  };
}

describe('the runs of a window', () => {
  it('are listed newest first, up to a limit', () => {
    const store = new RunStore();
    const running = aRun();
    store.add(running);
    for (let count = 0; count < maxRuns + 5; count++) store.add(aRun({ state: 'ok' }));
    assert.equal(store.runs.length, maxRuns);
    assert.ok(store.find(running.id), 'a run that goes on is never dropped');
    assert.ok((store.runs[0]?.id ?? '') !== running.id);
  });

  it('append output as it arrives, up to the limit', () => {
    const store = new RunStore();
    const run = aRun();
    store.add(run);
    const output = (text: string) =>
      store.apply({ kind: 'output', runId: run.id, sessionId: 's1', stream: 'stdout', text });
    output('a');
    output('b');
    assert.equal(run.stdout, 'ab');
    output('c'.repeat(2_000_000));
    assert.equal(run.stdout?.length, 1024 * 1024);
  });

  it('ignore events of ended runs and of other windows', () => {
    const store = new RunStore();
    const run = aRun();
    store.add(run);
    store.update(run.id, { state: 'cancelled' });
    store.apply({ kind: 'output', runId: run.id, sessionId: 's1', stream: 'stdout', text: 'late' });
    store.apply({ kind: 'started', runId: 'another', sessionId: 's1' });
    store.update(run.id, { state: 'ok' });
    assert.deepEqual([run.state, run.stdout], ['cancelled', undefined]);
  });

  it('only mark their own session as busy', () => {
    const store = new RunStore();
    store.add(aRun({ sessionId: 's1' }));
    store.add(aRun({ sessionId: 's2', state: 'ok' }));
    assert.deepEqual([store.isBusy('s1'), store.isBusy('s2')], [true, false]);
  });

  it('show whether they wait or have started', () => {
    const store = new RunStore();
    const run = aRun();
    store.add(run);
    store.apply({ kind: 'queued', runId: run.id, sessionId: 's1' });
    assert.match(run.phase ?? '', /waiting/);
    store.apply({ kind: 'started', runId: run.id, sessionId: 's1' });
    assert.equal(run.phase, undefined);
  });

  it('stay during a run when the list is cleared', () => {
    const store = new RunStore();
    const run = aRun();
    store.add(aRun({ state: 'ok' }));
    store.add(run);
    store.clear();
    assert.deepEqual(store.runs, [run]);
  });
});

describe('the history of runs', () => {
  it('keeps runs and small results across reloads', () => {
    const kept = fromHistory(
      JSON.parse(JSON.stringify(toHistory([aRun({ id: 'a', state: 'ok', result: '42', durationMs: 118 })]))),
    );
    assert.equal(kept.length, 1);
    assert.deepEqual([kept[0]?.id, kept[0]?.result, kept[0]?.durationMs, kept[0]?.repeatable], ['a', '42', 118, false]);
  });

  it('leaves out unfinished runs', () => {
    assert.deepEqual(fromHistory(toHistory([aRun()])), []);
  });

  it('ignores damaged entries and those of another version (STO-05)', () => {
    for (const stored of [
      undefined,
      null,
      'x',
      {},
      [null, 1, 'x', {}, { id: 'a', title: 't', startedAt: 'x', state: 'ok' }],
    ]) {
      assert.deepEqual(fromHistory(stored), []);
    }
    assert.deepEqual(fromHistory([{ id: 'a', title: 't', startedAt: 1, state: 'running' }]), []);
  });
});

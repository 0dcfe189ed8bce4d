import assert from 'node:assert/strict';
import { nameRuns } from '../../../src/extension/runs/name-runs.ts';
import { type Run, RunStore } from '../../../src/extension/runs/run-store.ts';
import { Signal } from '../../../src/extension/ui/lifecycle.ts';

/** The runs of a window, whose sessions are on the pages that a test says. */
function setUp() {
  const pages = new Map<string, string>();
  const onChange = new Signal();
  const clock = { now: 1_000, updatedAt: undefined as number | undefined, reads: 0 };
  const runs = new RunStore();
  const sessions = {
    find: (id: string) => (pages.has(id) ? { name: pages.get(id) as string } : undefined),
    get updatedAt() {
      return clock.updatedAt;
    },
    onChange,
  };
  const naming = nameRuns({ runs, sessions, read: () => clock.reads++, now: () => clock.now });
  return {
    clock,
    naming,
    onChange,
    start(id: string, language = 'node', run: Partial<Run> = {}) {
      const base = { sessionId: '', sessionName: '', title: id, startedAt: 0, repeatable: true } as const;
      runs.add({ ...base, id, language, state: 'running', phase: 'getting a session', ...run });
      runs.update(id, { sessionId: 's1' });
      runs.update(id, { phase: undefined });
    },
    end: (id: string, state: Run['state'] = 'ok') => runs.update(id, { state }),
    list(name: string, session = 's1') {
      clock.now += 100;
      pages.set(session, name);
      clock.updatedAt = clock.now;
      onChange.fire();
    },
    name: (id: string) => runs.find(id)?.sessionName,
  };
}

describe('the page of a run', () => {
  for (const language of ['node', 'python', 'bash']) {
    it(`is the one it ended on (${language})`, () => {
      const { start, end, list, name, clock } = setUp();
      list('Before');
      start('1', language);
      list('On the way');
      assert.equal(name('1'), '');
      end('1');
      assert.deepEqual([name('1'), clock.reads], ['', 1]);
      list('Sayings');
      assert.equal(name('1'), 'Sayings');
      start('2', language);
      list('More');
      end('2', 'failed');
      list('Other');
      assert.deepEqual([name('1'), name('2')], ['Sayings', 'Other']);
    });
  }

  it('is not taken from a list that was read before its end', () => {
    const { start, end, list, name, clock, onChange } = setUp();
    list('Before');
    start('1');
    clock.now += 50;
    end('1');
    onChange.fire();
    assert.equal(name('1'), '');
  });

  it('may follow shortly after the first list, and stays later', () => {
    const { start, end, list, name, clock } = setUp();
    start('1');
    end('1', 'cancelled');
    list('Loading');
    list('Shop');
    clock.now += 60_000;
    list('Shop, basket');
    list('Later');
    assert.equal(name('1'), 'Shop, basket');
  });

  it('is not that of the next run in its session, nor of another session', () => {
    const { start, end, list, name } = setUp();
    start('1');
    end('1');
    start('2');
    list('Second');
    list('Elsewhere', 's2');
    end('2');
    list('Second');
    assert.deepEqual([name('1'), name('2')], ['', 'Second']);
  });
});

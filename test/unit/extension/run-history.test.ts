import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLongParts } from '../../../src/extension/runs/long-parts.ts';
import { keepHistory, type LongParts, limits } from '../../../src/extension/runs/run-history.ts';
import { type Run, RunStore } from '../../../src/extension/runs/run-store.ts';

const runOf = (id: string, change: Partial<Run> = {}): Run => ({
  id,
  sessionId: 's1',
  sessionName: 'shop',
  title: 'a.js',
  language: 'node',
  startedAt: 1_000,
  repeatable: true,
  state: 'running',
  ...change,
});
const megabyte = 'x'.repeat(limits.part);

describe('the history of runs, in windows that reload', () => {
  let folder: string;
  let warnings: string[];
  let stored: unknown;
  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'webdata-history-')), 'runs');
    warnings = [];
    stored = undefined;
  });
  afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }));

  const memento = {
    get: () => stored,
    update: async (_: string, value: unknown) => {
      stored = JSON.parse(JSON.stringify(value));
    },
    keys: () => [],
  };
  const files = () => readdir(folder).catch(() => []);

  /** Opens a window. `null`: one without a folder for long parts. */
  function open(long: LongParts | null = createLongParts(folder, (text) => warnings.push(text))) {
    const store = new RunStore();
    const history = keepHistory(store, memento as never, long ?? undefined);
    const end = (id: string, change: Partial<Run>) => {
      store.add(runOf(id));
      store.update(id, { state: 'ok', ...change });
    };
    const close = async () => {
      history.dispose();
      await long?.idle();
    };
    return { store, history, end, close, long };
  }

  /** Opens the next window, and shows its runs. */
  async function reload(before?: ReturnType<typeof open>) {
    await before?.close();
    const next = open();
    await next.history.readLong();
    return next;
  }

  it('keep long results, output and errors whole', async () => {
    const parts = {
      result: JSON.stringify(Array.from({ length: 300 }, (_, row) => ({ row, name: `é ${row} \ud800` }))),
      stdout: '語'.repeat(2_001),
      stderr: megabyte,
      error: `Error: on purpose\n${'    at shop.js:1:2\n'.repeat(500)}`,
    };
    const first = open();
    first.end('a', parts);
    const { store } = await reload(await reload(first));
    const [run] = store.runs;
    for (const [part, text] of Object.entries(parts)) assert.ok(run?.[part as keyof typeof parts] === text, part);
    assert.deepEqual(run?.unkept, { result: undefined, stdout: undefined, stderr: undefined, error: undefined });
    assert.deepEqual(warnings, []);
  });

  it('show the beginning before the rest is read, and read it once', async () => {
    const first = open();
    first.end('a', { result: 'r'.repeat(5_000), stdout: 'short' });
    await first.close();
    const { store, history } = open();
    const kinds: string[] = [];
    store.onChange.on(({ kind }) => kinds.push(kind));
    const [run] = store.runs;
    assert.deepEqual([run?.result?.length, run?.stdout, run?.unread], [2_000, 'short', true]);
    await Promise.all([history.readLong(), history.readLong()]);
    assert.deepEqual([run?.result?.length, run?.unread, kinds], [5_000, undefined, ['read']]);
  });

  it('know what a service cut, and what it still has', async () => {
    const sizes = { result: 2_300_000, stdout: 0, stderr: 0, rows: 20_000, kept: ['result' as const] };
    const first = open();
    first.end('a', { result: megabyte, truncated: true, sizes, kept: true });
    const second = await reload(first);
    const [run] = second.store.runs;
    assert.deepEqual([run?.result?.length, run?.truncated, run?.sizes], [limits.part, true, sizes]);
    // All of it was shown, of which the beginning is kept; the service still has the rest.
    second.store.setWhole('a', 'y'.repeat(2_300_000));
    const { store } = await reload(second);
    const [whole] = store.runs;
    assert.deepEqual([whole?.result?.length, whole?.sizes?.kept], [limits.part, ['result']]);
    assert.equal(whole?.unkept?.result, 2_300_000);
    store.loseWhole('a', 'result');
    assert.deepEqual([whole?.sizes?.kept, whole?.unkept?.result], [[], 2_300_000]);
  });

  it('keep what belongs to a run in files that only the user can read, until it is cleared', async () => {
    const first = open();
    first.end('../a', { stdout: 'x'.repeat(3_000) });
    first.end('b', { stdout: 'small' });
    const second = await reload(first);
    const [name, ...others] = await files();
    assert.match(name ?? '', /^\w+\.json$/);
    assert.equal(others.length, 0);
    if (process.platform !== 'win32') assert.equal((await stat(join(folder, name ?? ''))).mode & 0o777, 0o600);
    second.store.clear();
    await second.close();
    assert.deepEqual(await files(), []);
  });

  it('keep the newest runs within a limit in all', async () => {
    const first = open();
    for (let run = 0; run < 24; run++) first.end(`run ${run}`, { stdout: megabyte });
    const { store } = await reload(first);
    const whole = store.runs.map(({ stdout }) => stdout?.length === limits.part);
    assert.equal(whole.lastIndexOf(true), Math.floor(limits.all / limits.part) - 1);
    assert.equal(whole.indexOf(false), whole.lastIndexOf(true) + 1);
    assert.equal((await files()).length, whole.lastIndexOf(true) + 1);
    assert.equal(store.runs.at(-1)?.unkept?.stdout, limits.part);
  });

  it("don't write again what was read", async () => {
    const first = open();
    first.end('a', { stdout: 'x'.repeat(3_000) });
    const second = await reload(first);
    const [name = ''] = await files();
    const { ino } = await stat(join(folder, name));
    second.end('b', { result: '1' });
    await second.close();
    assert.equal((await stat(join(folder, name))).ino, ino);
  });

  for (const [damage, change] of [
    ['is missing', (file: string) => rm(file)],
    ['was cut', async (file: string) => writeFile(file, (await readFile(file)).subarray(0, 2_500))],
    ['holds something else', (file: string) => writeFile(file, '{"result":7,"stdout":null}')],
    ['holds no object', (file: string) => writeFile(file, 'null')],
  ] as const) {
    it(`keep the beginning, and say so, if a file ${damage}`, async () => {
      const first = open();
      first.end('a', { result: 'é'.repeat(3_000), stdout: 'whole' });
      await first.close();
      const [name = ''] = await files();
      await change(join(folder, name));
      // It is said in the windows after that, too.
      const { store } = await reload(await reload());
      const [run] = store.runs;
      assert.deepEqual([run?.result?.length, run?.stdout, run?.unread], [2_000, 'whole', undefined]);
      assert.deepEqual(run?.unkept, { result: 6_000 });
    });
  }

  it('keep the beginning, and say so, where nothing can be written', async () => {
    await writeFile(folder, 'a file');
    const first = open();
    first.end('a', { result: 'x'.repeat(3_000) });
    const second = await reload(first);
    assert.deepEqual([second.store.runs[0]?.result?.length, second.store.runs[0]?.unkept?.result], [2_000, 3_000]);
    assert.match(warnings[0] ?? '', /^Long results can't be kept for a reload: /);
    await second.close();
    const { store } = open(null);
    assert.deepEqual([store.runs[0]?.unread, store.runs[0]?.unkept?.result], [undefined, 3_000]);
  });

  it('have the beginning of the output of a run that goes on', async () => {
    const first = open();
    first.store.add(runOf('a', { kept: true }));
    first.store.apply({ kind: 'output', runId: 'a', sessionId: 's1', stream: 'stdout', text: 'x'.repeat(3_000) });
    first.store.update('a', { notice: 'It goes on.' });
    const { store } = await reload(first);
    const [run] = store.runs;
    assert.deepEqual([run?.state, run?.stdout?.length, run?.unkept], ['running', 2_000, { stdout: 3_000 }]);
  });
});

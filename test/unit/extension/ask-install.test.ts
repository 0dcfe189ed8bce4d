import '../../harness/fake-vscode.ts';
import assert from 'node:assert/strict';
import { fake } from '../../harness/fake-vscode.ts';

const { installPermits } = await import('../../../src/extension/runs/ask-install.ts');

describe('the first run in a language', () => {
  const place = async () => ({ python: '/venv/bin/python' });
  const serviceWith = (folder: string | null) => {
    const queries: unknown[] = [];
    const readMissingTool = async ({ query }: { query: unknown }) => {
      queries.push(query);
      return { success: true, folder };
    };
    return { queries, service: { readMissingTool } as never };
  };
  const asked: unknown[][] = [];
  const answer = (chosen: string | undefined) => {
    asked.length = 0;
    fake.answer = (_kind, ...args) => {
      asked.push(args);
      return chosen;
    };
  };
  afterEach(() => fake.reset());

  it('asks before it installs, once for runs that start together', async () => {
    answer('Install');
    const { queries, service } = serviceWith('/data/python');
    const mayRun = installPermits();
    const run = () => mayRun({ language: 'python' }, service, place);
    assert.deepEqual(await Promise.all([run(), run()]), [true, true]);
    assert.deepEqual(queries[0], { language: 'python', python: '/venv/bin/python' });
    assert.equal(asked.length, 1);
    assert.match(
      JSON.stringify(asked),
      /Install Playwright for Python.*53 MB to download, 168 MB on disk.*\/data\/python/,
    );
  });

  it('asks again after it was cancelled', async () => {
    answer(undefined);
    const { service } = serviceWith('/data/agent-browser');
    const mayRun = installPermits();
    assert.equal(await mayRun({ language: 'bash' }, service, place), false);
    assert.equal(await mayRun({ language: 'bash' }, service, place), false);
    assert.equal(asked.length, 2);
    assert.match(JSON.stringify(asked[0]), /agent-browser.*npm.*55 MB to download, 121 MB/);
  });

  it('asks nothing if the service has the tool, and the service only once', async () => {
    answer(undefined);
    const { queries, service } = serviceWith(null);
    const mayRun = installPermits();
    for (let count = 0; count < 2; count++) assert.ok(await mayRun({ language: 'bash' }, service, place));
    assert.ok(await mayRun({ language: 'node' }, service, place));
    assert.deepEqual([queries.length, asked.length], [1, 0]);
  });

  it('leaves it to the run if the service cannot say', async () => {
    const readMissingTool = async () => Promise.reject(new Error('no such endpoint'));
    assert.ok(await installPermits()({ language: 'bash' }, { readMissingTool } as never, place));
  });
});

import assert from 'node:assert/strict';
import { startRunnerProcess } from '../../../src/service/browsers/runners/runner-process.ts';

describe('the environment of a runner', () => {
  it('is that of its sandbox again after a run with variables of its own', async () => {
    const runner = startRunnerProcess(
      { command: process.execPath, args: ['-e', ''], env: { HOME: '/machine' }, start: { type: 'start', cdpUrl: '' } },
      {
        cdpUrl: '',
        directory: process.cwd(),
        marker: ['WEBDATA_TEST', 'environment'],
        isolate: (command) => ({ ...command, env: { ...command.env, HOME: '/sandbox' } }),
      },
    );
    assert.deepEqual(runner.changesTo({ HOME: '/project', SHOP: 'tea', constructor: 'x', WEBDATA_TEST: 'other' }), {
      HOME: '/project',
      SHOP: 'tea',
      constructor: 'x',
    });
    assert.deepEqual(runner.changesTo({ SHOP: 'coffee' }), { HOME: '/sandbox', SHOP: 'coffee', constructor: null });
    assert.deepEqual(runner.changesTo(), { SHOP: null });
    assert.deepEqual(runner.changesTo(), {});
    await runner.gone;
  });
});

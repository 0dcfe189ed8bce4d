import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { withLifeline } from '../../../src/service/browsers/runners/lifeline.ts';
import { startRunnerProcess } from '../../../src/service/browsers/runners/runner-process.ts';

describe('the environment of a runner', () => {
  it('is that of its sandbox again after a run with variables of its own', async () => {
    const runner = startRunnerProcess(
      { command: process.execPath, args: ['-e', ''], env: { HOME: '/machine' } },
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

describe('the lifeline of a program', () => {
  before(function () {
    if (process.platform === 'win32') this.skip();
  });

  for (const [name, env] of [
    ['with the usual PATH', { PATH: process.env.PATH }],
    ['with a PATH that leads nowhere', { PATH: '/nowhere' }],
    ['without a PATH', {}],
  ] as const)
    it(`ends it, and what it detached, when the service exits: ${name}`, async () => {
      const sleep = `process.stdout.write('on'); setInterval(() => undefined, 1000);`;
      const detached = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(sleep)}], { detached: true, stdio: 'inherit' });`;
      const plain = { command: process.execPath, args: ['-e', `${detached} ${sleep}`] };
      const { command, args } = withLifeline(plain, ['WEBDATA_TEST', `lifeline ${process.pid} ${name}`]);
      const program = spawn(command, args, {
        env: { ...env, WEBDATA_TEST: `lifeline ${process.pid} ${name}` },
        stdio: ['ignore', 'pipe', 'ignore', 'pipe', 'pipe', 'pipe'],
        detached: true,
      });
      const [, stdout, , , , held] = program.stdio as unknown as readonly [
        null,
        Readable,
        null,
        Writable,
        Writable,
        Writable,
      ];
      let text = '';
      for await (const chunk of stdout.setEncoding('utf8')) {
        text += chunk;
        // What the service holds of it closes as the service exits.
        if (text === 'onon') held.destroy();
      }
      assert.equal(text, 'onon');
      if (program.signalCode === null) await once(program, 'exit');
      assert.equal(program.signalCode, 'SIGKILL');
    });
});

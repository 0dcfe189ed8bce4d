import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { findStrays, killStrays } from '../../../src/service/platform/system/stray-processes.ts';

describe('stray processes', () => {
  before(function () {
    if (process.platform !== 'linux') this.skip();
  });
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  async function start(marker: string, command = 'exec sleep 300'): Promise<ChildProcess> {
    const child = spawn('sh', ['-c', command], {
      detached: true,
      stdio: 'ignore',
      env: { ...process.env, MARK: marker },
    });
    children.push(child);
    await once(child, 'spawn');
    return child;
  }

  async function found(marker: string, count: number): Promise<number[]> {
    for (;;) {
      const pids = await findStrays('MARK', marker);
      if (pids.length >= count) return pids;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  it('are found by their marker and killed, in any group and session', async () => {
    const marker = randomUUID();
    const child = await start(marker, 'trap "" TERM INT HUP; setsid sleep 300 & (setsid setsid sleep 300 &) ; wait');
    await found(marker, 3);
    const exit = once(child, 'exit');
    await killStrays('MARK', marker);
    assert.deepEqual(await exit, [null, 'SIGKILL']);
    assert.deepEqual(await findStrays('MARK', marker), []);
  });

  it('match values below a path, not those that only start the same way', async () => {
    const root = `/tmp/${randomUUID()}`;
    const [below, sibling, other] = await Promise.all([start(`${root}/one`), start(`${root}-two`), start('unrelated')]);
    await found(`${root}-two`, 1);
    const exit = once(below as ChildProcess, 'exit');
    await killStrays('MARK', root);
    await exit;
    for (const spared of [sibling, other]) assert.equal(spared?.exitCode ?? spared?.signalCode, null);
  });

  it('never include this process', async () => {
    const home = process.env.PATH as string;
    assert.ok(!(await findStrays('PATH', home)).includes(process.pid));
  });

  it('include those that keep forking', async () => {
    const marker = randomUUID();
    await start(marker, 'while true; do setsid sh -c "sleep 0.05" & sleep 0.01; done');
    await found(marker, 3);
    await killStrays('MARK', marker);
    assert.deepEqual(await findStrays('MARK', marker), []);
  });
});

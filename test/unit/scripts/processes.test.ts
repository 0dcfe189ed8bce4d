import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { platform } from 'node:os';
import { type ProcessEntry, watchMarkedProcesses, withDescendants } from '../../../scripts/lib/processes.mjs';
import { eventually } from '../../harness/eventually.ts';

const NAME = 'WEBDATA_PROCESSES_TEST';

/** A process whose child has an empty environment and outlives it; it prints the child's pid. */
const PARENT = `
  const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    env: {}, detached: true, stdio: 'ignore' });
  console.log(child.pid);
  setInterval(() => {}, 1000);`;

function entry(pid: number, parent: number, marked = false): ProcessEntry {
  return { pid, parent, marked, started: '1', command: '' };
}

describe('marked processes', () => {
  it('are those with the mark and everything below them', () => {
    const all = [entry(5, 4), entry(2, 1, true), entry(3, 2), entry(4, 3), entry(9, 1)];
    assert.deepEqual(
      withDescendants(all).map(({ pid }) => pid),
      [5, 2, 3, 4],
    );
  });

  describe('on this machine', () => {
    let mark: string;
    let parent: ChildProcess;
    let childPid: number;
    let watch: ReturnType<typeof watchMarkedProcesses>;
    const pids = () =>
      watch
        .look()
        .map(({ pid }) => pid)
        .toSorted();

    beforeEach(async function () {
      if (platform() === 'win32') this.skip();
      mark = randomUUID();
      parent = spawn(process.execPath, ['-e', PARENT], {
        env: { ...process.env, [NAME]: mark },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      assert.ok(parent.stdout);
      const [line] = await once(parent.stdout, 'data');
      childPid = Number(String(line));
      watch = watchMarkedProcesses(NAME, mark);
      watch.look();
    });
    afterEach(() => {
      watch?.kill();
    });

    it("are found with a child that isn't marked itself", () => {
      assert.deepEqual(pids(), [parent.pid, childPid].toSorted());
    });

    it('stay known when the parent has exited', async () => {
      watch.look();
      parent.kill('SIGKILL');
      await once(parent, 'exit');
      assert.deepEqual(pids(), [childPid]);
    });

    it('are stopped together, including the one with a cleaned environment', async () => {
      await watch.end();
      assert.deepEqual(pids(), []);
    });

    it("are killed if they don't exit by themselves", async () => {
      parent.kill('SIGKILL');
      process.kill(childPid, 'SIGSTOP');
      await watch.end(100);
      await eventually(() => assert.deepEqual(pids(), []));
    });
  });
});

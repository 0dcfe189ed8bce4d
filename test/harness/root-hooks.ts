import assert from 'node:assert/strict';
import fc from 'fast-check';
import { eventually } from './eventually.ts';
import { idleHosts } from './workbench-hosts.ts';

// Every run tries the same cases; `npm run fuzz` tries others.
fc.configureGlobal({ seed: 1 });

/** Kinds of what keeps a process running, of which tests leave nothing behind. */
const kinds = new Set(['TCPServerWrap', 'UDPWrap', 'ProcessWrap', 'MessagePort', 'FSEventWrap']);

export const mochaHooks = {
  async afterAll(): Promise<void> {
    await eventually(() => {
      const left = process.getActiveResourcesInfo().filter((kind) => kinds.has(kind));
      for (let kept = 2 * idleHosts(); kept > 0 && left.includes('ProcessWrap'); kept--)
        left.splice(left.indexOf('ProcessWrap'), 1);
      assert.deepEqual(left, [], `The tests of this file left something open: ${left.join(', ')}`);
    });
  },
};

import assert from 'node:assert/strict';
import { createAnswers } from '../../../src/answers/answers.ts';
import { createKeptRuns } from '../../../src/service/assistants/mcp/runs.ts';
import { pageTools } from '../../../src/service/assistants/mcp/tools/page/page.ts';
import { waitForJob } from '../../../src/service/assistants/mcp/tools/progress.ts';
import type { AgentSessions } from '../../../src/service/assistants/mcp/tools/sessions.ts';
import type { Progress, ToolCall } from '../../../src/service/assistants/mcp/tools/tool.ts';
import type { Steering } from '../../../src/service/assistants/steering/steering.ts';
import type { Session } from '../../../src/service/browsers/sessions/session.ts';
import type { AddressPolicy } from '../../../src/service/platform/network/address-policy/address-policy.ts';

function callWith(report: ToolCall['report'], signal = new AbortController().signal): ToolCall {
  const answers = createAnswers((text) => text, { readOn: 'read_more', prefix: 'a', keptLength: 1024 });
  const agent = { caller: { team: 'own', keyLabel: 'key' }, answers, runs: createKeptRuns(), seen: new Map() };
  return { agent: agent as unknown as ToolCall['agent'], signal, report, notes: [], waitedMs: 0 };
}

describe('the progress of calls', () => {
  const { setInterval } = globalThis;
  afterEach(() => {
    globalThis.setInterval = setInterval;
  });

  it('is reported while a call waits for its turn on a page', async () => {
    const reports: Progress[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const session = { id: 's', inTurn: () => promise };
    const sessions = { find: async () => session as unknown as Session } as AgentSessions;
    const intervals: number[] = [];
    globalThis.setInterval = ((tick: () => void, ms: number) => {
      intervals.push(ms);
      tick();
      return setInterval(() => undefined, 1e6);
    }) as never;
    const steering = { look: () => false } as unknown as Steering;
    const tool = pageTools(sessions, {} as AddressPolicy, steering, false).page_snapshot;
    const done = tool?.run(
      {},
      callWith((progress) => {
        reports.push(progress);
        resolve();
      }),
    );
    await done;
    assert.deepEqual(intervals, [2000]);
    assert.deepEqual(reports, [{ progress: 0, message: 'Waiting for the page: 0 s' }]);
  });

  it('is reported until a job has ended, or the time to wait for it', async () => {
    const reports: Progress[] = [];
    const states = ['running', 'running', 'done'];
    const job = {
      look: async () => states.shift() ?? 'none',
      isRunning: (state: string) => state === 'running',
      progressOf: (state: string) => ({ progress: states.length, message: state }),
    };
    const call = callWith((progress) => reports.push(progress));
    assert.equal(await waitForJob(call, 0, job), 'running');
    assert.equal(await waitForJob(call, 0.02, { ...job, look: async () => 'running' }), 'running');
    assert.ok(reports.length >= 1);
    assert.equal(await waitForJob(call, 60, job), 'done');
    const cancel = new AbortController();
    const cancelled = waitForJob(
      callWith(() => cancel.abort(), cancel.signal),
      60,
      { ...job, look: async () => 'running' },
    );
    await assert.rejects(cancelled, { name: 'AbortError' });
  });
});

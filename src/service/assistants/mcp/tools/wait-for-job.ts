import { setTimeout as wait } from 'node:timers/promises';
import type { Progress, ToolCall } from './tool.ts';

/** Milliseconds between two checks of a job's status. */
const lookMs = 500;

/** Waits for the end of a job, at most `seconds`, and reports its progress. Returns its last state. */
export async function waitForJob<State>(
  { signal, report }: ToolCall,
  seconds: number,
  job: { look(): Promise<State>; isRunning(state: State): boolean; progressOf(state: State, passed: number): Progress },
): Promise<State> {
  const started = performance.now();
  for (;;) {
    const state = await job.look();
    const passed = (performance.now() - started) / 1000;
    if (!job.isRunning(state) || passed >= seconds) return state;
    report(job.progressOf(state, passed));
    await wait(Math.min(lookMs, Math.max(1, (seconds - passed) * 1000)), undefined, { signal });
  }
}

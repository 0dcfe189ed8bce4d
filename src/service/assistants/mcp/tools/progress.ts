import { setTimeout as wait } from 'node:timers/promises';
import type { JobState } from '../../../../contract/crawl/crawl-jobs.ts';
import type { Api } from '../api.ts';
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

/** Waits for the end of a crawl in the same way. */
export async function waitForCrawl(call: ToolCall, seconds: number, api: Api, jobId: string): Promise<JobState> {
  return await waitForJob(call, seconds, {
    look: () => api('getCrawl', { params: { jobId }, query: { limit: 1 } }, call),
    isRunning: ({ status }) => status === 'scraping',
    progressOf: ({ completed, total }) => ({
      progress: completed ?? 0,
      ...(total && { total }),
      message: `Crawling: ${completed ?? 0} of ${total ?? '?'} pages`,
    }),
  });
}

/** Milliseconds between two reports about a call that takes long. */
const intervalMs = 2_000;

/** Reports every two seconds that a call is still at work, so that clients don't give up on it. */
export async function working<Result>({ report }: ToolCall, what: string, work: Promise<Result>): Promise<Result> {
  const started = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - started) / 1000);
    report({ progress: seconds, message: `${what}: ${seconds} s` });
  }, intervalMs);
  return await work.finally(() => clearInterval(timer));
}

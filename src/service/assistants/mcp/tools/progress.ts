import type { ToolCall } from './tool.ts';

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

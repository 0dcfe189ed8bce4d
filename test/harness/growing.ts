import { eventually } from './eventually.ts';

/** Repeats a check until it passes, each time with twice the limit: a slow machine needs longer for what has to happen within it. */
export async function growing<Value>(first: number, check: (limit: number) => Promise<Value>): Promise<Value> {
  let limit = first / 2;
  return await eventually(async () => {
    limit *= 2;
    return await check(limit);
  });
}

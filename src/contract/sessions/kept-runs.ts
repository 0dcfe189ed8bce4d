import * as z from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { requestBody, responseBody } from '../fields.ts';
import { limits } from '../limits.ts';
import { interactionResult } from './execution.ts';

/**
 * On execute and interact, together with the run's ID: the run is a window's own. Its limit is the value, in seconds or
 * `none`, instead of `timeout`. It goes on if the window disconnects, and a result or output that is cut is kept whole for a while.
 */
export const runLimitHeader = 'x-webdata-run-limit';

/** Returns a limit in seconds as the value of the header. */
export function encodeRunLimit(seconds: number): string {
  return Number.isFinite(seconds) ? String(seconds) : 'none';
}

/** Reads the header. Returns seconds, Infinity for none, or undefined if it is malformed. */
export function parseRunLimit(value: string): number | undefined {
  if (value === 'none') return Number.POSITIVE_INFINITY;
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : 0;
  return seconds >= limits.ownRunLimit.min && seconds <= limits.ownRunLimit.max ? seconds : undefined;
}

/** The parts of a run that may be cut. */
export const cutParts = ['result', 'stdout', 'stderr'] as const;
export type CutPart = (typeof cutParts)[number];

const params = z.object({ runId: z.string().min(1).max(100) });
const errors = { 404: 'The team has no such run, or it is no longer kept' };

/** The runs of windows, by the ID that the window gave them. */
export const keptRunEndpoints = {
  awaitRun: endpoint('GET', '/embedded/runs/:runId', {
    summary: 'Wait for a run whose window has disconnected, and return its outcome',
    params,
    response: interactionResult,
    errors,
  }),
  stopRun: endpoint('POST', '/embedded/runs/:runId/stop', {
    summary: "Stop a window's run",
    params,
    body: requestBody({}),
    response: responseBody({ success: z.boolean() }),
    errors,
  }),
  readWholeResult: endpoint('GET', '/embedded/runs/:runId/result', {
    summary: "Get the whole result or output of a window's run, if the response was cut off",
    params,
    query: z.object({ part: z.enum(cutParts).default('result') }),
    response: responseBody({ success: z.boolean(), result: z.string() }),
    errors,
  }),
} as const;

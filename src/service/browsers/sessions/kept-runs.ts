import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { placeHeader, runIdHeader, sizesField } from '../../../contract/embedded.ts';
import { limits } from '../../../contract/limits.ts';
import {
  type CutPart,
  cutParts,
  type InteractionResult,
  parseRunLimit,
  runLimitHeader,
} from '../../../contract/sessions/execution.ts';
import { messageOf, ServiceError } from '../../platform/errors.ts';
import type { Context, Handlers } from '../../platform/http/bind.ts';
import type { Log } from '../../platform/log.ts';
import { getOrAdd, keepLast } from '../../platform/maps.ts';
import { parsePlace } from '../runners/place.ts';
import type { WholeParts } from '../runners/runner.ts';
import type { ExecuteOptions } from './run-queue.ts';

/** The runs of windows: they go on when their window reloads, and their whole results can be read. */
export type KeptRuns = ReturnType<typeof createKeptRuns>;

export interface KeptRunsOptions {
  /** Folder for whole results. Whatever it holds is deleted. */
  directory: string;
  /** Whether windows may set limits of their own: not on a service for others. */
  ownLimits: boolean;
  log: Log;
}

interface KeptRun {
  stop: AbortController;
  outcome: Promise<InteractionResult>;
  whole: Map<CutPart, { file: string; bytes: number }>;
}

interface TeamRuns {
  runs: Map<string, KeptRun>;
  /** Runs that were stopped before their requests arrived. */
  stoppedEarly: Map<string, true>;
}

/** How many runs of a team are known, the newest ones. */
const maxRuns = 50;

export function createKeptRuns({ directory, ownLimits, log }: KeptRunsOptions) {
  const teams = new Map<string, TeamRuns>();
  const ready = rm(directory, { recursive: true, force: true })
    .then(() => mkdir(directory, { recursive: true, mode: 0o700 }))
    .catch((error: unknown) => log.warn(`Whole results can't be kept: ${messageOf(error)}`));

  const runsOf = (team: string): TeamRuns =>
    getOrAdd(teams, team, () => ({ runs: new Map(), stoppedEarly: new Map() }));

  /** Returns the parts that were kept. */
  async function keepWhole(team: string, run: KeptRun, whole: WholeParts): Promise<CutPart[]> {
    for (const part of cutParts) {
      const text = whole[part];
      if (text === undefined) continue;
      const file = join(directory, randomUUID());
      try {
        await ready;
        await writeFile(file, text, { mode: 0o600 });
        run.whole.set(part, { file, bytes: Buffer.byteLength(text) });
      } catch (error) {
        log.warn(`The whole ${part} of a run wasn't kept: ${messageOf(error)}`);
      }
    }
    await trim(team);
    return [...run.whole.keys()];
  }

  /** Deletes the oldest whole results of a team that its budget has no room for. */
  async function trim(team: string): Promise<void> {
    let bytes = 0;
    for (const run of [...runsOf(team).runs.values()].reverse()) {
      for (const part of run.whole.values()) bytes += part.bytes;
      if (bytes > limits.wholeResult.all) await drop(run);
    }
  }

  async function drop(run: KeptRun): Promise<void> {
    const files = [...run.whole.values()];
    run.whole.clear();
    for (const { file } of files) await rm(file, { force: true }).catch(() => undefined);
  }

  function find(team: string, id: string): KeptRun {
    const run = runsOf(team).runs.get(id);
    if (!run) throw new ServiceError(404, 'No such run: the service was restarted, or the run is too old.');
    return run;
  }

  return {
    /** Runs what a request asks for, as the request's headers say. */
    async run<Outcome extends InteractionResult>(
      { caller, signal, header }: Pick<Context, 'caller' | 'signal' | 'header'>,
      work: (options: ExecuteOptions) => Promise<Outcome>,
    ): Promise<Outcome> {
      const place = parsePlace(header(placeHeader));
      const id = header(runIdHeader)?.slice(0, 100);
      const options: ExecuteOptions = { signal, place, ...(id && { runId: id }) };
      const value = header(runLimitHeader);
      if (value === undefined || id === undefined || !ownLimits) return await work(options);
      const limit = parseRunLimit(value);
      if (limit === undefined) {
        const { min, max } = limits.ownRunLimit;
        throw new ServiceError(400, `The header ${runLimitHeader} must be "none" or ${min} to ${max} seconds.`);
      }
      const { runs, stoppedEarly } = runsOf(caller.team);
      if (runs.has(id)) throw new ServiceError(409, 'A run with this ID already exists.');
      const stop = new AbortController();
      if (stoppedEarly.delete(id)) throw canceled();
      let kept: CutPart[] = [];
      const onWhole = async (whole: WholeParts) => {
        kept = await keepWhole(caller.team, run, whole);
      };
      const outcome = work({ ...options, signal: stop.signal, timeoutMs: limit * 1000, onWhole }).then((done) => {
        if (kept.length > 0 && done[sizesField]) Object.assign(done[sizesField], { kept });
        return done;
      });
      const run: KeptRun = { stop, outcome, whole: new Map() };
      const old = keepLast(runs, id, run, maxRuns);
      if (old) void drop(old);
      return await outcome;
    },
    handlers: {
      awaitRun: async ({ params }, { caller }) => await find(caller.team, params.runId).outcome,
      stopRun({ params }, { caller }) {
        const { stoppedEarly } = runsOf(caller.team);
        // That of another team isn't there.
        const isKnown = [...teams.values()].some((each) => each.runs.has(params.runId));
        if (isKnown) find(caller.team, params.runId).stop.abort(canceled());
        else keepLast(stoppedEarly, params.runId, true, maxRuns);
        return { success: true };
      },
      async readWholeResult({ params, query }, { caller }) {
        const whole = find(caller.team, params.runId).whole.get(query.part);
        if (!whole)
          throw new ServiceError(404, `The whole ${query.part} of this run is no longer kept. Run the code again.`);
        return { success: true, result: await readFile(whole.file, 'utf8') };
      },
    } satisfies Partial<Handlers>,
    async close(): Promise<void> {
      // Otherwise it would be made after it was removed.
      await ready;
      await rm(directory, { recursive: true, force: true }).catch(() => undefined);
    },
  };
}

function canceled(): ServiceError {
  return new ServiceError(499, 'The run was canceled.');
}

import { pause } from '../../../platform/clock.ts';
import {
  awaitModel,
  type Completion,
  type CompletionRequest,
  ModelError,
  noModelMessage,
} from '../../../platform/language-model/language-model.ts';
import type { GatherParts } from './gather.ts';
import { JobFailed } from './run.ts';

/** Requests in a row that may fail, and the waits between them in milliseconds. */
const maxFailures = 3;
const firstWaitMs = 500;
/** How long to wait for a model when there is none: the window that lends it may be reloading. */
const absentMs = 5 * 60_000;

/**
 * Asks the team's language model, and again if it fails. Waits while there is none. Throws a JobFailed if it keeps
 * failing, and the signal's reason.
 */
export async function askModel(
  team: string,
  request: Omit<CompletionRequest, 'signal'>,
  { models, clock }: Pick<GatherParts, 'models' | 'clock'>,
  signal: AbortSignal,
): Promise<Completion & { model: string }> {
  for (let failures = 0; ; ) {
    const model = await present(team, { models, clock }, signal);
    try {
      return { ...(await model.complete({ ...request, signal })), model: model.name };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ModelError)) throw error;
      // A window that closed took its model along.
      if (!models.find(team)) continue;
      if (++failures >= maxFailures) throw new JobFailed(error.message, { cause: error });
      await pause(firstWaitMs * 2 ** (failures - 1), clock, signal);
    }
  }
}

async function present(team: string, { models, clock }: Pick<GatherParts, 'models' | 'clock'>, signal: AbortSignal) {
  const found = models.find(team);
  if (found) return found;
  const patience = new AbortController();
  const cancel = clock.after(absentMs, () => patience.abort(new JobFailed(noModelMessage)));
  try {
    return await awaitModel(models, team, AbortSignal.any([signal, patience.signal]));
  } finally {
    cancel();
  }
}

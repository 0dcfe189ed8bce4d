import { limits } from '../../../contract/limits.ts';
import type { InteractionResult } from '../../../contract/sessions/execution.ts';
import type { KeptRuns } from '../../browsers/sessions/kept-runs.ts';
import type { ExecuteOptions } from '../../browsers/sessions/run-queue.ts';
import type { Session } from '../../browsers/sessions/session.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Handlers } from '../../platform/http/bind.ts';
import {
  type LanguageModel,
  type LanguageModels,
  noModelMessage,
} from '../../platform/language-model/language-model.ts';
import type { AddressPolicy } from '../../platform/network/address-policy/address-policy.ts';
import { runAgent } from './agent/agent.ts';
import type { Interactions } from './interact.ts';

export interface InteractParts {
  interactions: Interactions;
  models: LanguageModels;
  policy: AddressPolicy;
  keptRuns: KeptRuns;
}

/** Handles POST and DELETE /v2/scrape/{jobId}/interact. */
export function interactHandlers({ interactions, models, policy, keptRuns }: InteractParts) {
  function modelFor(team: string): LanguageModel {
    const model = models.find(team);
    if (!model) throw new ServiceError(503, noModelMessage, { code: 'NO_LANGUAGE_MODEL' });
    return model;
  }

  async function prompt(
    session: Session,
    model: LanguageModel,
    task: string,
    timeout: number,
    options: ExecuteOptions,
  ): Promise<InteractionResult> {
    return await session.inTurn(options, async ({ host, signal, emit }) => {
      session.markPrompted();
      const log = (line: string) => emit({ kind: 'output', stream: 'stdout', text: `${line}\n` });
      const timeoutMs = Math.min(options.timeoutMs ?? timeout * 1000, limits.ownRunLimit.max * 1000);
      return await runAgent({ host, model, policy, task, timeoutMs, signal, log });
    });
  }

  return {
    interactWithScrape: ({ params, body }, context) =>
      keptRuns.run(context, async (options) => {
        const { caller } = context;
        let model: LanguageModel | undefined;
        const session = await interactions.session(caller, params.jobId, () => {
          if (body.prompt === undefined) return body.language;
          model = modelFor(caller.team);
          return undefined;
        });
        const outcome = model
          ? await prompt(session, model, body.prompt ?? '', body.timeout, options)
          : await session.execute({ code: body.code ?? '', language: body.language, timeout: body.timeout }, options);
        // Unlike execute, interact reports in `success` whether the code succeeded: published clients rely on it.
        const failed = outcome.killed === true || outcome.exitCode !== 0 || outcome.error !== undefined;
        const { cdpUrl, liveViewUrl, interactiveLiveViewUrl } = session;
        return { ...outcome, success: !failed, sessionId: session.id, cdpUrl, liveViewUrl, interactiveLiveViewUrl };
      }),
    stopInteraction: ({ params }, { caller }) => interactions.stop(caller, params.jobId),
  } satisfies Partial<Handlers>;
}

import { placeHeader, runIdHeader } from '../../contract/embedded.ts';
import type { InteractionResult } from '../../contract/sessions/execution.ts';
import { ServiceError } from '../errors.ts';
import type { AddressPolicy } from '../fetch/address-policy/address-policy.ts';
import type { Handlers } from '../http/bind.ts';
import { type LanguageModel, type LanguageModels, noModelMessage } from '../language-model/language-model.ts';
import { parsePlace } from '../runners/place.ts';
import type { ExecuteOptions, Session } from '../sessions/session.ts';
import { runAgent } from './agent/agent.ts';
import type { Interactions } from './interact.ts';

export interface InteractParts {
  interactions: Interactions;
  models: LanguageModels;
  policy: AddressPolicy;
}

/** Handles POST and DELETE /v2/scrape/{jobId}/interact. */
export function interactHandlers({
  interactions,
  models,
  policy,
}: InteractParts): Pick<Handlers, 'interactWithScrape' | 'stopInteraction'> {
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
      return await runAgent({ host, model, policy, task, timeoutMs: timeout * 1000, signal, log });
    });
  }

  return {
    async interactWithScrape({ params, body }, { caller, signal, header }) {
      const place = parsePlace(header(placeHeader));
      let model: LanguageModel | undefined;
      const session = await interactions.session(caller, params.jobId, () => {
        if (body.prompt === undefined) return body.language;
        model = modelFor(caller.team);
        return undefined;
      });
      const runId = header(runIdHeader)?.slice(0, 100);
      const options = { signal, place, ...(runId && { runId }) };
      const outcome = model
        ? await prompt(session, model, body.prompt ?? '', body.timeout, options)
        : await session.execute({ code: body.code ?? '', language: body.language, timeout: body.timeout }, options);
      // Unlike execute, interact reports in `success` whether the code succeeded: published clients rely on it.
      const failed = outcome.killed === true || outcome.exitCode !== 0 || outcome.error !== undefined;
      const { cdpUrl, liveViewUrl, interactiveLiveViewUrl } = session;
      return { ...outcome, success: !failed, sessionId: session.id, cdpUrl, liveViewUrl, interactiveLiveViewUrl };
    },
    stopInteraction: ({ params }, { caller }) => interactions.stop(caller, params.jobId),
  };
}

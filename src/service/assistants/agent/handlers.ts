import type { AgentState } from '../../../contract/agent-jobs.ts';
import { limits } from '../../../contract/limits.ts';
import { shorten } from '../../../contract/shorten.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Context, Handlers } from '../../platform/http/bind.ts';
import { whyUnusable } from '../../platform/language-model/json-answer.ts';
import { type LanguageModels, noModelMessage } from '../../platform/language-model/language-model.ts';
import type { AgentJobs } from './jobs.ts';
import { dataSnapshot, listedJobs, listOf, tracedSteps, traceOf } from './published-views.ts';
import { urlOf, withoutStars } from './run/web.ts';
import type { AgentJob, StoredDeed } from './store/job-table.ts';

export interface AgentHandlerParts {
  jobs: AgentJobs;
  models: LanguageModels;
  /** Throws when the URL's address is blocked. */
  checkTarget(url: URL): void;
}

/** Handles the endpoints for agent and extract jobs. */
export function agentHandlers({ jobs, models, checkTarget }: AgentHandlerParts) {
  async function checkStart(team: string, schema: Record<string, unknown> | null | undefined): Promise<void> {
    if (!models.find(team)) throw new ServiceError(503, noModelMessage, { code: 'NO_LANGUAGE_MODEL' });
    const problem = schema && (await whyUnusable(schema));
    if (problem)
      throw new ServiceError(400, `schema: answers can't be checked against it: ${problem}`, { code: 'BAD_REQUEST' });
  }

  const state = async ({ params }: { params: { jobId: string } }, { caller }: Context) => {
    const { job, deeds } = await jobs.find(caller, params.jobId);
    return stateOf(job, deeds);
  };

  return {
    async startAgent({ body }, { caller }) {
      const { prompt, urls = [], schema, maxCredits = limits.agentCredits.default, webhook, origin } = body;
      await checkStart(caller.team, schema);
      for (const url of [...urls, ...(webhook ? [webhook.url] : [])]) checkTarget(new URL(url));
      const id = await jobs.start(caller, 'agent', {
        prompt,
        urls,
        schema: schema ?? undefined,
        maxCredits,
        webhook,
        origin,
        strict: body.strictConstrainToURLs === true,
      });
      return { success: true, id };
    },
    async startExtract({ body }, { caller }) {
      const { prompt, schema, maxCredits = limits.agentCredits.default, webhook, origin, agent } = body;
      await checkStart(caller.team, schema);
      const { valid, invalid } = sorted(body.urls ?? []);
      const [first] = invalid;
      if (
        first !== undefined &&
        (body.ignoreInvalidURLs === false || (valid.length === 0 && !body.enableWebSearch && !agent))
      ) {
        throw new ServiceError(400, `urls: "${shorten(first)}" isn't a valid http or https URL`, {
          code: 'BAD_REQUEST',
        });
      }
      for (const url of valid) checkTarget(urlOf(withoutStars(url)));
      if (webhook) checkTarget(new URL(webhook.url));
      const request = { prompt, schema: schema ?? undefined, maxCredits, webhook, origin };
      const id = await jobs.start(
        caller,
        'extract',
        agent
          ? { ...request, urls: valid.map(withoutStars), strict: false }
          : {
              ...request,
              urls: valid,
              strict: false,
              extract: {
                systemPrompt: body.systemPrompt,
                allowExternalLinks: body.allowExternalLinks === true,
                includeSubdomains: body.includeSubdomains === true,
                enableWebSearch: body.enableWebSearch === true,
                // Each given URL is read by default.
                limit: body.limit ?? Math.max(limits.extractPages.default, valid.length),
                scrapeOptions: body.scrapeOptions,
              },
            },
      );
      return { success: true, id, ...(invalid.length > 0 && { invalidURLs: invalid }) };
    },
    listAgents: async ({ query }, { caller, baseUrl }) =>
      listOf(await jobs.list(caller, query.before ?? Number.MAX_SAFE_INTEGER, listedJobs), baseUrl),
    async getAgentTrace({ params }, { caller }) {
      const { job, deeds } = await jobs.find(caller, params.jobId, tracedSteps);
      return traceOf(job, deeds);
    },
    async getAgentSnapshot({ params: { jobId, snapshotId } }, { caller }) {
      const { job } = await jobs.find(caller, jobId, 0);
      if (snapshotId !== dataSnapshot || !job.answer)
        throw new ServiceError(404, 'Snapshot not found. The trace of the job lists its snapshots.');
      return { success: true, id: job.id, snapshotId, snapshot: JSON.stringify(job.answer.data) };
    },
    getAgent: state,
    getExtract: state,
    async cancelAgent({ params }, { caller }) {
      await jobs.cancel(caller, params.jobId);
      return { success: true, status: 'cancelled' };
    },
  } satisfies Partial<Handlers>;
}

/** Separates the valid URLs of an extract job, with a scheme added where it is missing, from those that aren't valid. */
function sorted(urls: readonly string[]): { valid: string[]; invalid: string[] } {
  const valid: string[] = [];
  const invalid: string[] = [];
  for (const text of urls) {
    try {
      const own = withoutStars(text);
      valid.push(`${urlOf(own).href}${own === text ? '' : '*'}`);
    } catch {
      invalid.push(text);
    }
  }
  return { valid, invalid };
}

/** Returns the state of a job for a response. */
function stateOf(job: AgentJob, deeds: readonly StoredDeed[]): AgentState {
  const failed = job.status === 'failed' || job.status === 'cancelled';
  return {
    // The request succeeded, whatever the job did: published clients retry forever if a status response says otherwise.
    success: true,
    id: job.id,
    status: shownStatus(job),
    ...(job.answer && { data: job.answer.data, sources: job.answer.sources }),
    ...(failed && { error: job.error ?? 'The job was canceled.' }),
    ...(job.warning !== null && { warning: job.warning }),
    ...(job.model !== null && { model: job.model }),
    creditsUsed: job.credits,
    tokensUsed: job.credits * limits.tokensPerCredit,
    createdAt: date(job.created_at),
    expiresAt: date(job.expires_at),
    steps: deeds.map(({ deed, at, credits }) => ({
      ...deed,
      at: date(at),
      ...(credits > 0 && { creditsUsed: credits }),
    })),
  };
}

/** The published Python client fails on any status of an agent job but these three. */
function shownStatus({ status, kind, request }: AgentJob): string {
  const isPython = /^(python|py)-sdk\b/.test(request.origin ?? '');
  return status === 'cancelled' && kind === 'agent' && isPython ? 'failed' : status;
}

function date(at: number): string {
  return new Date(at).toISOString();
}

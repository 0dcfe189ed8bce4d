import type { Clock } from '../../../platform/clock.ts';
import { parseJson } from '../../../platform/language-model/json-answer.ts';
import type { LanguageModels, ToolCall } from '../../../platform/language-model/language-model.ts';
import type { Answer, Step } from '../store/steps.ts';
import { askModel } from './ask-model.ts';
import { messagesOf } from './conversation.ts';
import { costs, JobFailed, type Journal } from './run.ts';
import { carryOut, type JobRun, type ToolContext, toolsFor } from './tools.ts';
import { callerOf, type WebParts } from './web.ts';

export interface GatherParts extends WebParts {
  models: LanguageModels;
  clock: Clock;
}

/** Answers that don't match the schema, responses without a call, and responses whose calls find nothing new, in a row. */
const maxRejected = 3;
const maxIdle = 3;
const maxFruitless = { remark: 5, end: 8 } as const;
/** Calls of one response that are carried out. */
const maxCalls = 10;

/**
 * Lets the language model gather the data of a job with tools, from where its steps end. Throws a JobFailed if it finds
 * no answer, and the reason of the budget's signal.
 */
export async function gather(run: JobRun, parts: GatherParts): Promise<Answer> {
  const { job, journal, web, budget } = run;
  const { team, request } = job;
  const context: ToolContext = { ...run, browse: parts.browse, model: () => parts.models.find(team) };

  /** Carries out what the last response asked for and what isn't done yet. */
  async function carryOutPending(): Promise<Answer | undefined> {
    for (const call of pendingCalls(journal.steps)) {
      const answer = await carryOutOne(call);
      if (answer) return answer;
    }
    return undefined;
  }

  async function carryOutOne(call: ToolCall): Promise<Answer | undefined> {
    const begun = journal.steps.find((step) => step.kind === 'begun' && step.callId === call.id);
    if (begun?.kind === 'begun') {
      // What was done on the page may not be done twice.
      const billed = await parts.browse.settle(callerOf(job), begun.session);
      const note =
        'The service stopped while this ran, and its browser session has ended. Call it again if you still need it.';
      await journal.add({ kind: 'result', callId: call.id, note }, { billed });
      return undefined;
    }
    const outcome = await carryOut(call, context);
    if (outcome.kind === 'answer') return outcome.answer;
    await journal.add({ kind: 'result', callId: call.id, ...outcome.result }, outcome.cost);
    return undefined;
  }

  async function converse(): Promise<void> {
    const scarce = budget.scarce();
    const messages = messagesOf(request, journal.steps, web.canSearch);
    if (scarce) messages.push({ role: 'user', content: `Call finish now with what you have: ${scarce}.` });
    const tools = toolsFor(web, request, scarce !== undefined);
    const { text, toolCalls, model } = await askModel(team, { messages, tools }, parts, budget.signal);
    job.model = model;
    const numbered = toolCalls.slice(0, maxCalls).map((call, index) => ({
      ...call,
      // Some servers give every call the same ID.
      id: `${journal.steps.length}_${index}`,
    }));
    await journal.add({ kind: 'response', text, toolCalls: numbered }, { credits: costs.response });
  }

  /** Reads an answer that a model without tools writes as text, if the last step is one. */
  async function readPending(): Promise<Answer | undefined> {
    const last = journal.steps.at(-1);
    if (last?.kind !== 'response' || last.toolCalls.length > 0) return undefined;
    const value = parseJson(last.text);
    if (typeof value === 'object' && value !== null) {
      const answer = 'data' in value ? value : { data: value };
      const outcome = await carryOut({ id: '', name: 'finish', arguments: JSON.stringify(answer) }, context);
      if (outcome.kind === 'answer') return outcome.answer;
      const { rejected, deed, note = '' } = outcome.result;
      await journal.add({ kind: 'remark', text: note, ...(deed && { deed }), ...(rejected && { rejected }) });
      return undefined;
    }
    await journal.add({ kind: 'remark', text: 'Call one of the tools; call finish to answer.' });
    return undefined;
  }

  for (;;) {
    const answer = (await carryOutPending()) ?? (await readPending());
    if (answer) return answer;
    await endIfStuck(journal);
    budget.check();
    await web.require(costs.response);
    await converse();
  }
}

/** Returns the calls of the last response that have no result yet. */
function pendingCalls(steps: readonly Step[]): ToolCall[] {
  const last = steps.findLast((step) => step.kind === 'response');
  if (last?.kind !== 'response') return [];
  const done = new Set(steps.flatMap((step) => (step.kind === 'result' ? [step.callId] : [])));
  return last.toolCalls.filter(({ id }) => !done.has(id));
}

/** Throws a JobFailed if the model gets nowhere; tells it so before that. */
async function endIfStuck(journal: Journal): Promise<void> {
  const { steps } = journal;
  const sinceFresh = steps.slice(steps.findLastIndex((step) => step.kind === 'result' && step.fresh) + 1);
  const rejections = sinceFresh.filter((step) => 'rejected' in step && step.rejected === 'data');
  if (rejections.length >= maxRejected) {
    throw new JobFailed(
      `The language model returned no data that matches the schema. ${rejections.at(-1)?.deed?.error}`,
    );
  }
  const sinceCall = steps.slice(steps.findLastIndex(({ kind }) => kind === 'result') + 1);
  if (sinceCall.filter(({ kind }) => kind === 'response').length >= maxIdle) {
    throw new JobFailed(
      "The language model's answers are neither tool calls nor JSON. Use a model that supports tools.",
    );
  }
  // One response may have many calls.
  const fruitless = sinceFresh.filter(({ kind }) => kind === 'response').length;
  if (fruitless >= maxFruitless.end) {
    throw new JobFailed(
      "The language model's last calls found nothing new, and it didn't answer. Ask for less, or use another model.",
    );
  }
  if (fruitless >= maxFruitless.remark && steps.at(-1)?.kind !== 'remark') {
    await journal.add({ kind: 'remark', text: 'Your last calls found nothing new. Call finish or give_up.' });
  }
}

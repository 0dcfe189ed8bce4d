import * as z from 'zod';
import { limits } from '../../../../contract/limits.ts';
import { shorten } from '../../../../contract/shorten.ts';
import { messageOf } from '../../../platform/errors.ts';
import type { LanguageModel, ToolCall, ToolDescription } from '../../../platform/language-model/language-model.ts';
import type { MappedLink } from '../../../web/crawl/map/known-site.ts';
import { rankLinks } from '../../../web/crawl/map/rank-links.ts';
import { describeTools, readCall } from '../../model-tools.ts';
import type { AgentJob } from '../store/job-table.ts';
import type { Answer, Deed, ReadPage, Step } from '../store/steps.ts';
import { answerShape, judge } from './answer.ts';
import { type Browse, leastBrowseCredits } from './browse.ts';
import { type Budget, type Cost, costs, JobFailed, type Journal, ServiceStopping } from './run.ts';
import { callerOf, NotDone, urlOf, type Web, withoutFragment } from './web.ts';

/** A job that runs, with its steps, and what it may do and use. */
export interface JobRun {
  job: AgentJob;
  journal: Journal;
  budget: Budget;
  web: Web;
}

/** What tools work with. */
export interface ToolContext extends JobRun {
  browse: Browse;
  model(): LanguageModel | undefined;
}

type Result = Omit<Extract<Step, { kind: 'result' }>, 'kind' | 'callId'>;
/** What came of a call. */
export type Outcome = ({ kind: 'result'; result: Result } | { kind: 'answer'; answer: Answer; result: Result }) & {
  cost: Cost;
};

interface Tool<Schema extends z.ZodObject = z.ZodObject> {
  description: string;
  schema: Schema;
  /** Returns what a call does, for the person who watches. */
  deed(args: z.output<Schema>): Omit<Deed, 'error'>;
  run(args: z.output<Schema>, context: ToolContext, callId: string): Promise<Outcome>;
}

function tool<Schema extends z.ZodObject>(definition: Tool<Schema>): Tool {
  return definition as unknown as Tool;
}

/** Characters of a page, links and found pages that the model gets at a time. */
const pageLength = 15_000;
const maxLinks = 60;
const maxFound = 100;
const searchResults = 10;
const mappedPages = 1_000;

const url = z.string().min(1).max(limits.url);

const tools = {
  plan: tool({
    description: 'Note how you will go about the task, before you begin. Costs nothing.',
    schema: z.object({ steps: z.array(z.string().max(500)).min(1).max(20) }),
    deed: ({ steps }) => ({ action: 'plan', text: steps.join('; ') }),
    async run(_, { journal }) {
      const isFirst = !journal.steps.some((step) => step.kind === 'result' && step.deed?.action === 'plan');
      return done({ note: 'Noted.', fresh: isFirst });
    },
  }),
  search: tool({
    description: `Search the web. Costs ${costs.search} credits.`,
    schema: z.object({ query: z.string().min(1).max(500) }),
    deed: ({ query }) => ({ action: 'search', text: query }),
    async run({ query }, { web, budget }) {
      await afford(web, budget, costs.search);
      const found = await web.search(query, searchResults);
      return done({ note: `${found.length} results.`, content: listOf(found), fresh: true }, costs.search);
    },
  }),
  map_site: tool({
    description: `List the pages of a site, best matches of \`search\` first. Costs ${costs.map} credit.`,
    schema: z.object({ url, search: z.string().max(500).optional() }),
    deed: ({ url: site }) => ({ action: 'map', text: site }),
    async run({ url: site, search }, { web, budget }) {
      await afford(web, budget, costs.map);
      const found = await web.map(urlOf(site), false, mappedPages);
      const shown = (search ? (await rankLinks(found, search)).links : found).slice(0, maxFound);
      const note = `The site has ${found.length} known pages${shown.length < found.length ? `; these are ${shown.length} of them` : ''}.`;
      return done({ note, content: listOf(shown), fresh: true }, costs.map);
    },
  }),
  read_page: tool({
    description: `Read a web page, PDF or other file as Markdown; \`from\` reads on in a long one. Costs ${costs.page} credit a page.`,
    schema: z.object({ url, from: z.int().min(0).optional() }),
    deed: ({ url: address }) => ({ action: 'read', text: address }),
    async run({ url: address, from = 0 }, { web, budget, journal }) {
      const target = urlOf(address);
      const known = journal.pages.findIndex((page) => isAt(page, target));
      const seen = journal.pages[known];
      if (seen) return done({ ...partOf(seen, known + 1, from), fresh: from > 0 });
      await afford(web, budget, costs.page);
      const room = roomFor(budget);
      const { page: read, links, credits } = await web.read(target, budget.credits() - costs.response);
      const page = { ...read, requested: target.href, content: read.content.slice(0, room) };
      const part = partOf(page, journal.pages.length + 1, from);
      const others = links.filter((link) => !page.content.includes(link)).slice(0, maxLinks);
      const content =
        others.length > 0 ? `${part.content}\n\nOther links on the page:\n${others.join('\n')}` : part.content;
      return done({ ...part, content, page, fresh: true }, credits);
    },
  }),
  browse: tool({
    description: `Operate a page in a browser: click, fill in forms, scroll. Use it only for what read_page can't show. Costs at least ${leastBrowseCredits} credits.`,
    schema: z.object({ url, task: z.string().min(1).max(5000).describe('What to do on the page, and what to report') }),
    deed: ({ url: address, task }) => ({ action: 'browse', text: `${shorten(address)}: ${shorten(task)}` }),
    async run({ url: address, task }, { job, journal, web, budget, browse, model }, callId) {
      const target = urlOf(address);
      await afford(web, budget, leastBrowseCredits);
      const room = roomFor(budget);
      await web.check(target);
      const lent = model();
      if (!lent) throw new NotDone('The language model is not available at the moment.');
      const caller = callerOf(job);
      let session: string | undefined;
      try {
        const browsed = await browse.run({
          caller,
          url: target,
          task,
          model: lent,
          signal: budget.signal,
          policy: web.policy,
          check: (next) => web.checkAddress(next),
          credits: budget.credits() - costs.response,
          timeLeftMs: budget.timeLeftMs(),
          onSession: async (id, tx) => {
            session = id;
            await journal.add({ kind: 'begun', callId, session: id }, { tx });
          },
        });
        const billed = session === undefined ? 0 : await browse.settle(caller, session);
        const { output, error } = browsed;
        const page = { ...browsed.page, content: browsed.page.content.slice(0, room) };
        const note = `Page ${journal.pages.length + 1}: ${page.url}${error === undefined ? '' : '\nThe browsing ended early.'}`;
        const content = `${output}\n${error ?? ''}\n\n${page.content.slice(0, pageLength)}`;
        return { kind: 'result', result: { note, content, page, fresh: true }, cost: { billed } };
      } catch (error) {
        const billed = session === undefined ? 0 : await browse.settle(caller, session);
        if (budget.signal.aborted) {
          const { reason } = budget.signal;
          // The next service settles the session itself.
          if (!(reason instanceof ServiceStopping)) {
            await journal.add({ kind: 'result', callId, note: 'Stopped.' }, { billed });
          }
          throw reason;
        }
        throw new NotDone(messageOf(error), { billed });
      }
    },
  }),
  finish: tool({
    description: 'Answer with the data, once you have it.',
    schema: answerShape,
    deed: () => ({ action: 'answer', text: 'Checked the answer' }),
    async run(args, { job, journal, budget }) {
      const lenient =
        budget.scarce() !== undefined ||
        journal.steps.some((step) => 'rejected' in step && step.rejected === 'sources');
      const verdict = await judge(args, job.request.schema, journal.pages, lenient);
      if (verdict.kind === 'accepted') return { kind: 'answer', answer: verdict.answer, result: {}, cost: {} };
      return done({
        note: verdict.problem,
        rejected: verdict.reason,
        deed: { action: 'answer', text: 'Checked the answer', error: verdict.problem },
      });
    },
  }),
  give_up: tool({
    description: "End the task without data, if it can't be found.",
    schema: z.object({ reason: z.string().max(2000) }),
    deed: () => ({ action: 'answer', text: 'Gave up' }),
    async run({ reason }) {
      throw new JobFailed(`The data was not found: ${shorten(reason, 500)}`);
    },
  }),
} satisfies Record<string, Tool>;

/** The tools that are left when the model has to answer. */
const closing = new Set<string>(['finish', 'give_up']);

/** Returns the tools that the model may call now. */
export function toolsFor(web: Web, request: AgentJob['request'], answerNow: boolean): ToolDescription[] {
  const offered = Object.entries(tools)
    .filter(([name]) => (answerNow ? closing.has(name) : true))
    .filter(([name]) => name !== 'search' || web.canSearch)
    .filter(([name]) => name !== 'map_site' || !request.strict);
  return describeTools(Object.fromEntries(offered));
}

/**
 * Carries out a call of the model. A call that can't be carried out is a result for the model.
 * Throws a JobFailed, and what ends the run.
 */
export async function carryOut(call: ToolCall, context: ToolContext): Promise<Outcome> {
  const read = readCall<Tool>(call, tools);
  if (typeof read === 'string') return done({ note: read });
  const { tool: called, args } = read;
  const deed = called.deed(args);
  const earlier = sameCall(call, context.journal.steps);
  if (earlier) return done({ ...earlier, fresh: false });
  try {
    const outcome = await called.run(args, context, call.id);
    return { ...outcome, result: { deed, ...outcome.result } };
  } catch (error) {
    if (!(error instanceof NotDone)) throw error;
    const { message, cost } = error;
    return {
      kind: 'result',
      result: { note: 'This failed:', content: message, deed: { ...deed, error: message } },
      cost,
    };
  }
}

/** Returns the result of an equal search or map, which is not paid again. */
function sameCall({ name, arguments: text }: ToolCall, steps: readonly Step[]): Result | undefined {
  if (name !== 'search' && name !== 'map_site') return undefined;
  const ids = new Set(
    steps
      .flatMap((step) => (step.kind === 'response' ? step.toolCalls : []))
      .flatMap((call) => (call.name === name && call.arguments === text ? [call.id] : [])),
  );
  const same = steps.find((step) => step.kind === 'result' && ids.has(step.callId) && step.fresh);
  if (same?.kind !== 'result') return undefined;
  return {
    note: `You have done this already. ${same.note ?? ''}`,
    ...(same.content !== undefined && { content: same.content }),
  };
}

/** Throws a NotDone if the job can't pay a call and its answer, and a JobFailed if the team can't. */
async function afford(web: Web, budget: Budget, credits: number): Promise<void> {
  if (budget.credits() < credits + costs.response) {
    throw new NotDone(
      `This costs ${credits} credits, and the job has ${budget.credits()} left. Finish with what you have.`,
    );
  }
  await web.require(credits);
}

/** Returns how many characters of a page may be kept. Throws a NotDone if there is no room. */
function roomFor(budget: Budget): number {
  const room = budget.text();
  if (room <= 0) throw new NotDone('This job can keep no more text of pages. Finish with what you have.');
  return room;
}

/** Whether a page was read at a URL, or at one that redirects to it. */
function isAt({ url: final, requested }: ReadPage, target: URL): boolean {
  const address = withoutFragment(target.href);
  return requested !== undefined && (withoutFragment(requested) === address || withoutFragment(final) === address);
}

function done(result: Result, credits = 0): Outcome {
  return { kind: 'result', result, cost: { credits } };
}

function partOf(page: ReadPage, number: number, from: number): { note: string; content: string } {
  const part = page.content.slice(from, from + pageLength);
  const end = from + part.length;
  const more = end < page.content.length ? ` It goes on: read it again with from: ${end}.` : '';
  return { note: `Page ${number}: ${page.url}${more}`, content: `${page.title ?? ''}\n\n${part}`.trim() };
}

function listOf(found: readonly MappedLink[]): string {
  return found
    .map(({ url: link, title, description }) => [link, title, description?.slice(0, 300)].filter(Boolean).join(' | '))
    .join('\n');
}

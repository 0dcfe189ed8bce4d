import { dataBlock, dataBlockRule } from '../../../answers/data-block.ts';
import { rankLinks } from '../../crawl/map.ts';
import { parseJson } from '../../language-model/json-answer.ts';
import type { ChatMessage } from '../../language-model/language-model.ts';
import { judge } from '../run/answer.ts';
import { askModel } from '../run/ask-model.ts';
import { type Budget, costs } from '../run/budget.ts';
import { taskOf } from '../run/conversation.ts';
import type { GatherParts } from '../run/gather.ts';
import { JobFailed, type Journal } from '../run/journal.ts';
import { type FoundPage, NotDone, urlOf, type Web } from '../run/web.ts';
import type { AgentJob, JobRequest } from '../store/job-table.ts';
import type { Answer, Deed, ReadPage, Step } from '../store/steps.ts';

type ExtractOptions = NonNullable<JobRequest['extract']>;

/** Pages read at a time. */
const pagesAtATime = 4;
/** Characters of pages that the model gets with a request. */
const chunkLength = 60_000;
/** Answers that the model may give for one request, and pages that a search or the links to other sites add. */
const maxTries = 3;
const maxSearched = 5;
const maxExternal = 10;
/** Most pages of a site that are listed to choose from. */
const mappedPages = 5_000;

const instructions = `You extract data from numbered pages. Answer with one JSON object and nothing else: {"data": …, "sources": [{"path": "items[0].name", "pages": [1]}]}.
"data" matches the task's JSON Schema; "sources" names the numbers of the pages that each value is from. Take every value from the pages: use null for what they don't say, or omit it if the schema doesn't allow null.
${dataBlockRule}`;

/**
 * Extracts the data of a job from its pages, from where its steps end: finds the pages, reads them, and lets the language
 * model take the data from them, some pages at a time. Throws a JobFailed, and the reason of the budget's signal.
 */
export async function extract(
  job: AgentJob,
  journal: Journal,
  web: Web,
  budget: Budget,
  parts: GatherParts,
): Promise<Answer> {
  const { request, team } = job;
  const options = request.extract;
  if (!options) throw new Error('This is not an extract job.');
  const topic = request.prompt ?? Object.keys((request.schema?.properties as object | undefined) ?? {}).join(' ');

  await plan(options);
  await readAll();
  if (options.allowExternalLinks && !planned(journal.steps).last) {
    await journal.add({ kind: 'planned', urls: externalLinks(), last: true });
    await readAll();
  }
  if (journal.pages.length === 0) throw new JobFailed(noPages(journal.steps));
  return await draftAll();

  /** Finds the pages to read, unless that is done. */
  async function plan({
    limit,
    includeSubdomains,
    enableWebSearch,
    allowExternalLinks,
  }: ExtractOptions): Promise<void> {
    if (planned(journal.steps).urls.length > 0) return;
    const found: string[] = [];
    for (const text of request.urls) {
      const wildcard = /^(.*?)\*+$/.exec(text);
      if (!wildcard) found.push(urlOf(text).href);
      else found.push(...(await expand(urlOf(wildcard[1] ?? ''), includeSubdomains, limit)));
    }
    if (enableWebSearch && web.canSearch) found.push(...(await searched()));
    const urls = [...new Set(found)].slice(0, limit);
    await journal.add({
      ...{ kind: 'planned', urls, last: !allowExternalLinks },
      deed: { action: 'plan', text: `${urls.length} ${urls.length === 1 ? 'page' : 'pages'} to read` },
    });
    if (urls.length === 0) throw new JobFailed('No pages were found to extract from. Check the URLs.');
  }

  /** Returns the pages below a URL, those about the task first. */
  async function expand(site: URL, includeSubdomains: boolean, limit: number): Promise<string[]> {
    // There may be no page at the URL itself; then the whole site is searched for pages below it.
    for (const start of new Set([site.href, new URL('/', site).href])) {
      const pages = await discover({ action: 'map', text: `${start}*` }, costs.map, () =>
        web.map(new URL(start), includeSubdomains, mappedPages),
      );
      const below = pages.filter(({ url }) => isBelow(new URL(url), site, includeSubdomains));
      const ranked = rankLinks(linksOf(below), topic).slice(0, limit);
      if (ranked.length > 0) return ranked.map(({ url }) => url);
    }
    return [];
  }

  async function searched(): Promise<string[]> {
    const query = (request.prompt ?? topic).slice(0, 400);
    const results = await discover({ action: 'search', text: query }, costs.search, () =>
      web.search(query, maxSearched),
    );
    return results.slice(0, maxSearched).map(({ url }) => url);
  }

  /** Looks for pages, and stores that it did; what fails is stored with its reason. */
  async function discover(deed: Deed, credits: number, find: () => Promise<FoundPage[]>): Promise<FoundPage[]> {
    if (budget.credits() < credits + costs.response) return [];
    await web.require(credits);
    try {
      const found = await find();
      await journal.add({ kind: 'remark', text: '', deed }, { credits });
      return found;
    } catch (error) {
      if (!(error instanceof NotDone)) throw error;
      await journal.add({ kind: 'remark', text: '', deed: { ...deed, error: error.message } }, error.cost);
      return [];
    }
  }

  /** Reads the planned pages that aren't read yet. */
  async function readAll(): Promise<void> {
    const read = new Set(journal.steps.flatMap((step) => (step.kind === 'page' ? [step.url] : [])));
    const left = planned(journal.steps).urls.filter((url) => !read.has(url));
    /** Credits of the pages that are being read. */
    let pending = 0;
    const worker = async () => {
      for (let url = left.shift(); url !== undefined; url = left.shift()) {
        if (budget.credits() - pending < costs.page + costs.response) return;
        await web.require(costs.page);
        pending += costs.page;
        try {
          await readOne(url);
        } finally {
          pending -= costs.page;
        }
      }
    };
    await Promise.all(Array.from({ length: pagesAtATime }, worker));
    budget.signal.throwIfAborted();
  }

  async function readOne(url: string): Promise<void> {
    const deed: Deed = { action: 'read', text: url };
    try {
      const mostPages = Math.max(1, Math.floor((budget.credits() - costs.response) / pagesAtATime));
      const { page, links, credits } = await web.read(new URL(url), mostPages);
      const kept = options?.allowExternalLinks
        ? links.filter((link) => new URL(link).host !== new URL(page.url).host)
        : [];
      await journal.add({ kind: 'page', url, links: kept.slice(0, 200), page, deed }, { credits });
    } catch (error) {
      if (!(error instanceof NotDone)) throw error;
      await journal.add({ kind: 'page', url, links: [], deed: { ...deed, error: error.message } }, error.cost);
    }
  }

  /** Returns pages of other sites that the pages link to, those about the task first. */
  function externalLinks(): string[] {
    const known = new Set(planned(journal.steps).urls);
    const links = new Set(journal.steps.flatMap((step) => (step.kind === 'page' ? step.links : [])));
    const unread = [...links].filter((url) => !known.has(url)).map((url) => ({ url }));
    const room = Math.max(0, Math.min(maxExternal, (options?.limit ?? 0) - known.size));
    return rankLinks(unread, topic)
      .slice(0, room)
      .map(({ url }) => url);
  }

  /** Has the model take the data from the pages, some at a time; each answer builds on the last one. */
  async function draftAll(): Promise<Answer> {
    for (;;) {
      const draft = journal.steps.findLast((step) => step.kind === 'draft');
      const done = draft?.kind === 'draft' ? draft.pages : 0;
      const until = endOfChunk(journal.pages, done);
      const isLast = until >= journal.pages.length;
      const answer = await draftOne(draft?.kind === 'draft' ? draft.text : undefined, done, until, isLast);
      if (answer) return answer;
    }
  }

  /** Returns the answer once all pages are done. Otherwise, stores the draft. */
  async function draftOne(
    before: string | undefined,
    from: number,
    until: number,
    isLast: boolean,
  ): Promise<Answer | undefined> {
    const content = [
      taskOf({ ...request, urls: [] }, true),
      options?.systemPrompt && `More instructions: ${options.systemPrompt}`,
      before !== undefined &&
        `Your answer for the pages before these; extend and correct it:\n${dataBlock('answer', before)}`,
      ...journal.pages
        .slice(from, until)
        .map(
          ({ url, title = '', content: text }, index) =>
            `Page ${from + index + 1}: ${url}\n${dataBlock('page', `${title}\n\n${text.slice(0, chunkLength)}`)}`,
        ),
    ];
    const messages: ChatMessage[] = [
      { role: 'system', content: instructions },
      { role: 'user', content: content.filter(Boolean).join('\n\n') },
    ];
    let problem = '';
    for (let attempt = 1; attempt <= maxTries; attempt++) {
      budget.check();
      await web.require(costs.response);
      const { text, model } = await askModel(team, { messages }, parts, budget.signal);
      job.model = model;
      const given = parseJson(text);
      const isJson = typeof given === 'object' && given !== null;
      const cost = { credits: costs.response };
      if (isJson && !isLast) {
        await journal.add({ kind: 'draft', text: JSON.stringify(given), pages: until, deed: answered(until) }, cost);
        return undefined;
      }
      const lenient = attempt > 1 || budget.credits() <= costs.response;
      const verdict = isJson
        ? judge('data' in given ? given : { data: given }, request.schema, journal.pages, lenient)
        : notJson;
      const accepted = verdict.kind === 'accepted';
      problem = accepted ? '' : verdict.problem;
      await journal.add(
        { kind: 'remark', text: '', deed: { ...answered(until), ...(!accepted && { error: problem }) } },
        cost,
      );
      if (accepted) return verdict.answer;
      messages.push(
        { role: 'assistant', content: text },
        { role: 'user', content: `${problem} Answer again with only the JSON object.` },
      );
    }
    throw new JobFailed(`The language model returned no data that matches the schema. ${problem}`);
  }
}

const notJson = { kind: 'rejected', reason: 'data', problem: "The answer isn't JSON." } as const;

function answered(pages: number): Deed {
  return { action: 'answer', text: `Took the data from ${pages} ${pages === 1 ? 'page' : 'pages'}` };
}

/** Returns all planned URLs, and whether no more will follow. */
function planned(steps: readonly Step[]): { urls: string[]; last: boolean } {
  const plans = steps.flatMap((step) => (step.kind === 'planned' ? [step] : []));
  return { urls: plans.flatMap(({ urls }) => urls), last: plans.some(({ last }) => last) };
}

/** Returns the index after the pages that fit into one request; at least one does. */
function endOfChunk(pages: readonly ReadPage[], from: number): number {
  let length = 0;
  let end = from;
  while (end < pages.length) {
    length += Math.min(chunkLength, pages[end]?.content.length ?? 0);
    if (length > chunkLength && end > from) break;
    end++;
  }
  return end;
}

function noPages(steps: readonly Step[]): string {
  const failure = steps.find((step) => step.kind === 'page' && step.deed?.error !== undefined)?.deed;
  if (!failure) return 'The credits of the job were used up before a page was read. Start it with a higher maxCredits.';
  return `No page could be read. ${failure.text}: ${failure.error}`;
}

function isBelow(url: URL, site: URL, includeSubdomains: boolean): boolean {
  const path = site.pathname.endsWith('/') ? site.pathname : `${site.pathname}/`;
  const sameHost = url.host === site.host || (includeSubdomains && url.hostname.endsWith(`.${site.hostname}`));
  return sameHost && `${url.pathname}/`.startsWith(path);
}

function linksOf(found: readonly FoundPage[]) {
  return found.map(({ url, title, description }) => ({
    url,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
  }));
}

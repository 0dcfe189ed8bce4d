import { dataBlock, dataBlockRule } from '../../../../answers/data-block.ts';
import { shorten } from '../../../../contract/shorten.ts';
import { parseJson } from '../../../platform/language-model/json-answer.ts';
import type { ChatMessage } from '../../../platform/language-model/language-model.ts';
import type { MappedLink } from '../../../web/crawl/map/known-site.ts';
import { rankLinks } from '../../../web/crawl/map/rank-links.ts';
import { judge } from '../run/answer.ts';
import { askModel } from '../run/ask-model.ts';
import { taskOf } from '../run/conversation.ts';
import type { GatherParts } from '../run/gather.ts';
import { costs, JobFailed } from '../run/run.ts';
import type { JobRun } from '../run/tools.ts';
import { NotDone, urlOf, withoutStars } from '../run/web.ts';
import type { JobRequest } from '../store/job-table.ts';
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
/** Maximum number of pages of a site that are listed to choose from. */
const mappedPages = 5_000;

const instructions = `You extract data from numbered pages. Answer with one JSON object and nothing else: {"data": …, "sources": [{"path": "items[0].name", "pages": [1]}]}.
"data" matches the task's JSON Schema; "sources" names the numbers of the pages that each value is from. Take every value from the pages: use null for what they don't say, or omit it if the schema doesn't allow null.
${dataBlockRule}`;

/**
 * Extracts the data of a job from its pages, from where its steps end: finds the pages, reads them, and lets the language
 * model take the data from them, some pages at a time. Throws a JobFailed, and the reason of the budget's signal.
 */
export async function extract({ job, journal, web, budget }: JobRun, parts: GatherParts): Promise<Answer> {
  const { request, team } = job;
  const options = request.extract;
  if (!options) throw new Error('This is not an extract job.');
  const topic = request.prompt ?? Object.keys((request.schema?.properties as object | undefined) ?? {}).join(' ');

  await plan(options);
  await readAll();
  if (options.allowExternalLinks && !planned(journal.steps).last) {
    await journal.add({ kind: 'planned', urls: await externalLinks(), last: true });
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
    const wildcards = request.urls.filter((text) => text.endsWith('*'));
    const exact = request.urls.filter((text) => !text.endsWith('*')).map((text) => urlOf(text).href);
    const found = new Set([...new Set(exact)].slice(0, limit));
    const room = () => limit - found.size;
    const addSome = (urls: readonly string[], most: number) => {
      for (const url of urls.filter((each) => !found.has(each)).slice(0, most)) found.add(url);
    };
    const searches = enableWebSearch && web.canSearch;
    // The rest is shared: a site can have more pages than the job reads.
    const forSearch = searches ? Math.min(maxSearched, Math.ceil(room() / (wildcards.length + 1))) : 0;
    for (const [index, text] of wildcards.entries()) {
      const share = Math.ceil((room() - forSearch) / (wildcards.length - index));
      if (share <= 0) break;
      addSome(await expand(urlOf(withoutStars(text)), includeSubdomains, limit), share);
    }
    if (searches && room() > 0) addSome(await searched(), room());
    const urls = [...found];
    await journal.add({
      kind: 'planned',
      urls,
      last: !allowExternalLinks,
      deed: { action: 'plan', text: `${urls.length} ${urls.length === 1 ? 'page' : 'pages'} to read` },
    });
    if (urls.length === 0) throw new JobFailed('No pages were found to extract from. Check the URLs.');
  }

  /** Returns the pages below a URL, those about the task first. */
  async function expand(site: URL, includeSubdomains: boolean, limit: number): Promise<string[]> {
    // There may be no page at the URL itself; then the whole site is searched for pages below it.
    for (const start of new Set([site.href, new URL('/', site).href])) {
      const deed: Deed = { action: 'map', text: `${start}*` };
      const below = await discover(`map ${start} ${site.href}`, deed, costs.map, async () => {
        const pages = await web.map(new URL(start), includeSubdomains, mappedPages);
        const inside = pages.filter(({ url }) => isBelow(new URL(url), site, includeSubdomains));
        return (await rankLinks(inside, topic)).links.slice(0, limit);
      });
      if (below.length > 0) return below;
    }
    return [];
  }

  async function searched(): Promise<string[]> {
    const query = (request.prompt ?? topic).slice(0, 400);
    const deed: Deed = { action: 'search', text: query };
    return await discover(`search ${query}`, deed, costs.search, async () =>
      (await web.search(query, maxSearched)).slice(0, maxSearched),
    );
  }

  /**
   * Looks for pages once, and stores which it found; what fails is stored with its reason.
   * @param key what it looks for, so that it is not paid for again after a restart
   */
  async function discover(key: string, deed: Deed, credits: number, find: () => Promise<MappedLink[]>) {
    const earlier = journal.steps.find((step) => step.kind === 'found' && step.key === key);
    if (earlier?.kind === 'found') return earlier.urls;
    if (budget.credits() < credits + costs.response) return [];
    await web.require(credits);
    try {
      const urls = (await find()).map(({ url }) => url);
      await journal.add({ kind: 'found', key, urls, deed }, { credits });
      return urls;
    } catch (error) {
      if (!(error instanceof NotDone)) throw error;
      await journal.add({ kind: 'found', key, urls: [], deed: { ...deed, error: error.message } }, error.cost);
      return [];
    }
  }

  /** Reads the planned pages that aren't read yet, as far as the credits last. After an error, nothing of it keeps running. */
  async function readAll(): Promise<void> {
    const read = new Set(journal.steps.flatMap((step) => (step.kind === 'page' ? [step.url] : [])));
    const left = planned(journal.steps).urls.filter((url) => !read.has(url));
    /** Credits that the pages that are being read may cost. */
    let pending = 0;
    const stop = new AbortController();
    const worker = async () => {
      while (left.length > 0) {
        const room = budget.credits() - pending - costs.response;
        if (room < costs.page || budget.text() <= 0) return;
        // A page of a PDF costs as much as a page.
        const most = Math.max(costs.page, Math.floor(room / pagesAtATime));
        const url = left.shift() ?? '';
        pending += most;
        try {
          await web.require(costs.page);
          await readOne(url, most, stop.signal);
        } finally {
          pending -= most;
        }
      }
    };
    const failures: unknown[] = [];
    const onFailure = (error: unknown) => {
      failures.push(error);
      left.length = 0;
      stop.abort(error);
    };
    await Promise.all(Array.from({ length: pagesAtATime }, () => worker().catch(onFailure)));
    if (failures.length > 0) throw failures[0];
    budget.signal.throwIfAborted();
  }

  async function readOne(url: string, mostPages: number, stop: AbortSignal): Promise<void> {
    const deed: Deed = { action: 'read', text: url };
    try {
      const { page: read, links, credits } = await web.read(new URL(url), mostPages, stop);
      const page = { ...read, content: read.content.slice(0, Math.max(0, budget.text())) };
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
  async function externalLinks(): Promise<string[]> {
    const known = new Set(planned(journal.steps).urls);
    const links = new Set(journal.steps.flatMap((step) => (step.kind === 'page' ? step.links : [])));
    const unread = [...links].filter((url) => !known.has(url)).map((url) => ({ url }));
    const room = Math.max(0, Math.min(maxExternal, (options?.limit ?? 0) - known.size));
    const { links: ranked } = await rankLinks(unread, topic);
    return ranked.slice(0, room).map(({ url }) => url);
  }

  /**
   * Has the model take the data from the pages, some at a time; each answer builds on the last one. What the model has
   * answered is stored, and judged again after a restart.
   */
  async function draftAll(): Promise<Answer> {
    for (;;) {
      const drafts = journal.steps.flatMap((step) => (step.kind === 'draft' ? [step] : []));
      const before = drafts.findLast(({ pages }) => pages < journal.pages.length);
      const from = before?.pages ?? 0;
      const until = endOfChunk(journal.pages, from);
      const given = drafts.filter(({ pages }) => pages >= journal.pages.length);
      const answer = await draftOne(before?.text, from, until, given);
      if (answer) return answer;
    }
  }

  /** Returns the answer once all pages are done; `given` are the answers for all of them. Otherwise, stores the draft. */
  async function draftOne(before: string | undefined, from: number, until: number, given: readonly { text: string }[]) {
    const messages = requestFor(before, from, until);
    const isLast = until >= journal.pages.length;
    let problem = '';
    for (let attempt = 1; attempt <= maxTries; attempt++) {
      let text = given[attempt - 1]?.text;
      if (text === undefined) {
        budget.check();
        await web.require(costs.response);
        const completion = await askModel(team, { messages }, parts, budget.signal);
        job.model = completion.model;
        text = completion.text;
      }
      const value = parseJson(text);
      const isJson = typeof value === 'object' && value !== null;
      const isStored = attempt <= given.length;
      const cost = { credits: isStored ? 0 : costs.response };
      const lenient = attempt > 1 || budget.credits() - cost.credits < costs.response;
      const verdict = !isJson
        ? notJson
        : isLast
          ? await judge('data' in value ? value : { data: value }, request.schema, journal.pages, lenient)
          : undefined;
      problem = verdict?.kind === 'rejected' ? verdict.problem : '';
      const deed = { ...answered(until), ...(problem !== '' && { error: problem }) };
      if (!isStored && isJson)
        await journal.add({ kind: 'draft', text: JSON.stringify(value), pages: until, deed }, cost);
      else if (!isStored) await journal.add({ kind: 'remark', text: '', deed }, cost);
      if (!verdict) return undefined;
      if (verdict.kind === 'accepted') return verdict.answer;
      messages.push(
        { role: 'assistant', content: text },
        { role: 'user', content: `${problem} Answer again with only the JSON object.` },
      );
    }
    throw new JobFailed(`The language model returned no data that matches the schema. ${problem}`);
  }

  function requestFor(before: string | undefined, from: number, until: number): ChatMessage[] {
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
    return [
      { role: 'system', content: instructions },
      { role: 'user', content: content.filter(Boolean).join('\n\n') },
    ];
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
  return `No page could be read. ${shorten(failure.text)}: ${failure.error}`;
}

function isBelow(url: URL, site: URL, includeSubdomains: boolean): boolean {
  const path = site.pathname.endsWith('/') ? site.pathname : `${site.pathname}/`;
  const sameHost = url.host === site.host || (includeSubdomains && url.hostname.endsWith(`.${site.hostname}`));
  return sameHost && `${url.pathname}/`.startsWith(path);
}

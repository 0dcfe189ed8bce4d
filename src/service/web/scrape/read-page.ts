import { limits } from '../../../contract/limits.ts';
import type { ReadingReason, ScrapeAction } from '../../../contract/scrape/scrape.ts';
import { shorten } from '../../../contract/shorten.ts';
import type { MoreButton } from '../../browsers/page/next-rows.ts';
import { createTurn, inTurns } from '../../platform/async.ts';
import type { PageSketch } from './convert/convert-page.ts';
import type { PostedPages } from './convert/notes/choice-forms.ts';
import type { ConvertResult } from './convert/tasks.ts';
import type { FileKind } from './file-kind.ts';
import { adviceOf, type Lack, said } from './lack.ts';
import type { LoadedPage, Loader } from './load-page.ts';
import { isLoginPath, isLoginTitle } from './login-words.ts';
import type { ScrapeRequest } from './scrape.ts';
import { toScrapeError } from './scrape-errors.ts';
import type { ScrapePlan } from './scrape-plan.ts';

export interface Conversion {
  kind: FileKind | undefined;
  result: ConvertResult;
}

/** A page that was loaded and converted. */
export interface ReadPage {
  page: LoadedPage;
  conversion: Conversion;
  /** Why it was fetched or rendered. */
  because: ReadingReason;
  /** What it lacks. */
  warnings: Lack[];
  /** Those of them that say that links may be missing: of lists that go on, of rows that only a click opens, and of parts that failed or came late. */
  hidesLinks: Lack[];
  /** Whether it is the login page to which the site redirected. */
  asksToLogIn?: boolean;
}

type FoundPage = Pick<ReadPage, 'page' | 'conversion' | 'because' | 'warnings'>;

/** Maximum number of refreshes to follow. */
const maxRefreshes = 5;
/** A page with less text than this shows nothing before its scripts have run. */
const minText = 25;
/** Reasons why scripts make no difference, for pages that have none and for all. */
const withoutScripts = new Set<string>(['noScripts', 'noContentScripts', 'notHtml']);
const complete = new Set<string>([...withoutScripts, 'sameWithoutScripts']);

/** Loads and converts a page: as a browser shows it, unless that is known to make no difference. */
export async function readPage(
  request: ScrapeRequest,
  plan: ScrapePlan,
  loader: Loader,
  convert: (page: LoadedPage) => Promise<Conversion>,
): Promise<ReadPage> {
  const { options, templates, signal, url } = request;

  let asksToLogIn = false;

  async function load(from: () => Promise<LoadedPage>): Promise<{ page: LoadedPage; conversion: Conversion }> {
    request.onAsking?.(true);
    const page = await from().finally(() => request.onAsking?.(false));
    // Before it is converted: that may take the body away.
    const mayAsk = isElsewhere(page.url, url) && hasPasswordField(page.body);
    const conversion = await convert(page);
    asksToLogIn = mayAsk && isLoginFor(url, page.url, conversion.result);
    return { page, conversion };
  }

  async function fetch(): Promise<{ page: LoadedPage; conversion: Conversion }> {
    let fetched = await load(() => loader.fetch(url));
    for (let hop = 0; hop < maxRefreshes; hop++) {
      const { refresh = fetched.page.refresh } = fetched.conversion.result;
      if (refresh === undefined || refresh === fetched.page.url || fetched.page.status !== 200) break;
      fetched = await load(async () => ({ ...(await loader.fetch(refresh)), refreshed: true }));
    }
    return fetched;
  }

  async function render(from: string, because: ReadingReason): Promise<FoundPage> {
    const { page, conversion } = await load(() => loader.render(from));
    const warnings = [...(page.lacks ?? []), ...(page.besides ?? []).flatMap(said)];
    return { page, conversion, because: page.rendered ? because : 'notHtml', warnings };
  }

  /** Returns the fetched page if it can't be rendered: it may be incomplete, but it's better than none. */
  function unrendered(fetched: { page: LoadedPage; conversion: Conversion }, error: unknown): FoundPage {
    const failure = toScrapeError(error, signal);
    const { length = 0 } = fetched.conversion.result;
    if (failure.code === 'SCRAPE_JOB_CANCELLED' || (failure.code === 'SCRAPE_TIMEOUT' && length < minText))
      throw failure;
    const warning = `The page has scripts that may write its content, but it couldn't be rendered: ${failure.message}`;
    return { ...fetched, because: 'renderingFailed', warnings: said(warning) };
  }

  async function read(): Promise<FoundPage> {
    const cached = await loader.cached();
    if (cached) {
      request.onAsking?.(false);
      const conversion = await convert(cached);
      const because = (cached.because ?? 'notHtml') as ReadingReason;
      const isFinal = cached.rendered || complete.has(because) || reasonToFetch(cached, conversion) !== undefined;
      if (isFinal || !loader.mayFetch) return { page: cached, conversion, because, warnings: [] };
      return await render(url, reasonToRender(conversion)).catch((error: unknown) =>
        unrendered({ page: cached, conversion }, error),
      );
    }
    if (plan.needsBrowser) return await render(url, 'options');

    let failed: unknown;
    const begins = options.fastMode ? 'fetch' : templates?.begin(url);
    // A page that needed no browser last time may still be as it was.
    if (begins === 'render' && !request.known) {
      try {
        return await render(url, 'scriptsWriteContent');
      } catch (error) {
        if (toScrapeError(error, signal).code === 'SCRAPE_JOB_CANCELLED') throw error;
        failed = error;
      }
    }
    const fetched = await fetch();
    const { page, conversion } = fetched;
    const reason = reasonToFetch(page, conversion);
    if (reason) {
      templates?.plain(url);
      return { ...fetched, because: reason, warnings: [] };
    }
    if (failed !== undefined) return unrendered(fetched, failed);
    const { sketch: { scripts = '', places = [] } = {}, length = 0 } = conversion.result;
    const kind = { url, scripts, places, length };
    const decision = (await templates?.decide(kind, signal)) ?? 'render';
    if (decision === 'fetch') return { ...fetched, because: 'sameWithoutScripts', warnings: [] };
    const isSample = templates !== undefined && decision !== 'render';
    let result: 'same' | 'different' | 'unknown' = 'unknown';
    try {
      const from = page.refreshed ? page.url : url;
      const why = templates && !isSample ? 'scriptsWriteContent' : reasonToRender(conversion);
      const because = decision === 'compare' ? 'sample' : decision === 'check' ? 'unlikeSamples' : why;
      const rendered = await render(from, because);
      if (rendered.page.status === page.status) result = await compare(conversion.result, rendered.conversion.result);
      // Without its parts, a page looks as it does without scripts.
      if (result === 'same' && rendered.page.failedParts?.length) result = 'unknown';
      return rendered;
    } catch (error) {
      return unrendered(fetched, error);
    } finally {
      if (isSample) templates.compared(kind, result);
    }
  }

  const result = await read();
  const { page, conversion } = result;
  const { nextButton, posted, length } = conversion.result;
  const moreButton = conversion.result.moreButton ?? page.nextButton ?? (page.rendered ? undefined : nextButton);
  const { actions = [], timeout = limits.scrapeTimeout.default } = options;
  const last = actions.at(-1);
  const hasRoom = actions.length < limits.scrapeActions;
  // Without scripts nothing happens, and other actions than to load more leave the page as the caller wants it.
  const isMissed =
    moreButton &&
    !withoutScripts.has(result.because) &&
    (actions.every(({ type }) => type === 'scroll') ||
      (last?.type === 'click' && last.selector === moreButton.selector)) &&
    hasRoom;
  const growsOn = page.isGrowing && hasRoom && timeout < limits.scrapeTimeout.max;
  const clicks: ScrapeAction[] =
    isMissed && !page.clickedInVain
      ? [...actions, { type: 'click', selector: moreButton.selector, all: false, repeat: true }]
      : [];
  const isLogin = !asksToLogIn && conversion.result.isLogin === true && page.status === 200;
  const isEmpty = !asksToLogIn && conversion.kind === 'html' && page.status === 200 && length === 0;
  const beyond = [
    ...(page.isGrowing ? [growing(growsOn ? [...actions, { type: 'scroll', direction: 'down' }] : [])] : []),
    ...(isMissed ? [missedBy(moreButton, clicks)] : []),
  ];
  // After actions, the page may be one of them.
  const further = posted && actions.length === 0 ? [postedBy(posted)] : [];
  const askedFor = `The site asked for a login: this is its login page, ${shorten(page.url)}. To get the page, set a profile.`;
  const warnings = [
    ...said(conversion.result.isCut ? tooDeep : undefined),
    ...result.warnings,
    ...said(asksToLogIn ? askedFor : isLogin ? loginForm : isEmpty ? emptyPage : undefined),
    ...beyond,
    ...further,
  ];
  const hidesLinks = [...(page.lacks ?? []), ...(beyond.some(({ actions }) => actions) ? beyond : []), ...further];
  const say = (lacks: Lack[]) => (request.job === undefined ? lacks : lacks.map(inJob));
  return { ...result, warnings: say(warnings), hidesLinks: say(hidesLinks), asksToLogIn };

  function reasonToFetch({ status }: LoadedPage, { kind, result: { need } }: Conversion): ReadingReason | undefined {
    if (kind !== 'html') return 'notHtml';
    if (need === 'no scripts') return 'noScripts';
    if (need === 'no content scripts') return 'noContentScripts';
    if (options.fastMode) return 'fastMode';
    // A site that refuses requests isn't asked again; 403 may be a check for a browser.
    const isFinal = status === 429 || (templates !== undefined && status >= 400 && status !== 403);
    return isFinal ? 'errorStatus' : undefined;
  }
}

function reasonToRender({ result: { need } }: Conversion): ReadingReason {
  return need === 'frames' ? 'frames' : 'scripts';
}

const emptyPage = 'No text was found on the page. If it appears late, set waitFor to the milliseconds that it takes.';

const loginForm =
  'The page is mainly a login form. If the site shows it in place of the page, set a profile that is logged in.';

/** The warning of a page of which elements were left out. */
export const tooDeep = 'The page is nested too deeply: elements below 2,000 levels were left out.';

/** Whether a page was redirected to another path or host. */
function isElsewhere(url: string, requested: string): boolean {
  const [found, asked] = [new URL(url), new URL(requested)];
  return found.host !== asked.host || found.pathname !== asked.pathname;
}

/** Characters of text up to which a page of another site with a password field is the login there. */
const maxLoginText = 600;

/** Whether a page that a site shows in place of another one is its login, rather than a page with a login box beside its content. */
function isLoginFor(asked: string, found: string, { isLogin, metadata, length = 0 }: ConvertResult): boolean {
  if (isLogin || isLoginTitle(String(metadata.title)) || new URL(found).pathname.split('/').some(isLoginPath))
    return true;
  const [from, to] = [asked, found].map((url) => new URL(url).hostname.replace(/^www\./, ''));
  // A login in several steps may hide the field at first.
  return from !== to && length <= maxLoginText;
}

/** A login page is short: only that many bytes are searched. */
const searchedBytes = 500_000;

function hasPasswordField(body: Uint8Array): boolean {
  const text = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, searchedBytes)).toString('latin1');
  return /<input\s[^<>]{0,1000}?\btype\s*=\s*["']?password\b/i.test(text);
}

/** Pages that a warning names. */
const mostNamed = 3;

/** What a page lacks may need actions that others don't: a crawl with them would lose the others. */
const notInJobs =
  'Scrape this page alone for that, with its links, then those links as a batch: the actions of a crawl or batch run on every page.';

function inJob(lack: Lack): Lack {
  return lack.advice == null ? lack : { ...lack, advice: `${lack.advice} ${notInJobs}` };
}

/** @param actions those that have run, which may end with clicks on the button, and further clicks; none if they are in vain */
function missedBy({ text }: MoreButton, actions: ScrapeAction[]): Lack {
  const button = `The page has a button "${shorten(text, 60)}"`;
  if (actions.length === 0)
    return { what: `${button}, which was clicked until it added nothing more, but is still there.` };
  const isFirst = actions.at(-2)?.type !== 'click';
  const how = isFirst
    ? "wasn't clicked: what it loads is missing."
    : 'is still there after it was clicked: more may be missing.';
  const time = isFirst ? '' : ' and a longer timeout, half of which it is clicked for';
  return { what: `${button}, which ${how}`, advice: adviceOf('it', actions, time), actions };
}

function postedBy({ numbers, selector }: PostedPages): Lack {
  const more = numbers.length > mostNamed ? ` and ${numbers.length - mostNamed} more` : '';
  const named = numbers.slice(0, mostNamed).map((number) => `"${number}"`);
  const what = `Only buttons that post a form lead to further pages of this list, which are missing: ${named.join(', ')}${more}.`;
  const actions: ScrapeAction[] = [{ type: 'click', selector, all: false, repeat: false }];
  return { what, advice: adviceOf('the first of them', actions), actions };
}

/** @param actions with which the page is scrolled for longer; none if it can't be */
function growing(actions: ScrapeAction[]): Lack {
  const what = 'The page keeps adding content as it is scrolled, and only its beginning was read.';
  if (actions.length === 0) return { what };
  const advice = adviceOf('more', actions, ' and a longer timeout, half of which it is scrolled for');
  return { what, advice, actions };
}

/** Compares the content of a page without and with its scripts. */
async function compare(fetched: ConvertResult, rendered: ConvertResult): Promise<'same' | 'different' | 'unknown'> {
  if (!fetched.sketch) return 'unknown';
  // A page whose scripts removed themselves has no sketch, but was changed.
  if (!rendered.sketch) return 'different';
  return (await differs(fetched.sketch, rendered.sketch)) ? 'different' : 'same';
}

/** Whether scripts added or replaced a word, a link or an image. */
export async function differs(before: PageSketch, after: PageSketch): Promise<boolean> {
  if (after.links > before.links || after.images > before.images) return true;
  const turn = createTurn();
  const left = new Map<string, number>();
  await inTurns(wordsIn(before.text), (word) => left.set(word, (left.get(word) ?? 0) + 1), turn);
  for (const word of wordsIn(after.text)) {
    if (turn.isOver) await turn.end();
    const count = left.get(word) ?? 0;
    if (count === 0) return true;
    left.set(word, count - 1);
  }
  return false;
}

function* wordsIn(text: string): Generator<string> {
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) yield word;
}

import assert from 'node:assert/strict';
import { eventually } from '../harness/eventually.ts';
import type { Line, Rig } from './rig.ts';

// biome-ignore lint/suspicious/noExplicitAny: what clients return
type Loose = any;

/** What is known about the run whose lines are checked. */
export interface About {
  rig: Rig;
  /** ID of the client. */
  client: string;
  /** Name of the client and whether it has a key, as its webhooks are named. */
  name: string;
}

/** A call has to return what is checked, to be refused with a reason, or to fail in the client whatever the answer. */
type Check = ((value: Loose, about: About) => void | Promise<void>) | Failure;
interface Failure {
  error: RegExp;
  by: 'service' | 'client';
  /** As it is listed. */
  as: string;
}
const refused = (error: RegExp, as: string): Failure => ({ error, by: 'service', as });

/** Some clients wrap what a server answers, and the CLI prints a single format as text. */
const content = (value: Loose): Loose => (value?.data && !Array.isArray(value.data) ? content(value.data) : value);
const markdown = (value: Loose): string => (typeof value === 'string' ? value : content(value).markdown);
const addressOf = ({ metadata }: Loose): string => metadata.sourceURL ?? metadata.sourceUrl;
const pathsOf = (documents: Loose[]): string[] => documents.map((each) => new URL(addressOf(each)).pathname).sort();
const printed = (value: Loose): string => (typeof value === 'string' ? value : value.result || value.stdout);
const wholeSite = ['/', '/prices', '/rooms/attic', '/rooms/cellar', '/rooms/kitchen'];
const jobId = (value: Loose): string => content(value).id ?? content(value).jobId;

/** By what a call shows: see the programs. */
export const checks: Record<string, Check> = {
  'a page as Markdown': (value) => assert.match(markdown(value), /^# (Prices\n\nA night costs 120 euros\.|Booking\n)/),
  'every kind of content'(value) {
    assert.match(markdown(value), /^# Lighthouse/);
    assert.match(value.html, /<h1>Lighthouse<\/h1>/);
    assert.match(value.rawHtml ?? value.raw_html, /^<!doctype html>/);
    assert.equal(value.links.length, 4);
    if (value.images) assert.match(value.images[0], /lamp\.png$/);
  },
  'a page that needs a browser': (value) => assert.match(markdown(value), /High tide at noon/),
  'a screenshot': (value) => assert.match(value.screenshot, /^data:image\/png;base64,.{100}/),
  actions(value) {
    assert.match(markdown(value), /Booked for Ada/);
    assert.equal(value.actions.javascriptReturns[0].value, 'Booked Ada');
    assert.match(value.actions.scrapes[0].html, /Booked for Ada/);
  },
  'JSON by a schema': (value) => assert.match(JSON.stringify(value), /"euros":120\b/),
  'a summary': (value) => assert.match(JSON.stringify(value), /A night costs 120 euros, in short/),
  'an answer to a query': (value) => assert.match(JSON.stringify(value), /It costs 120 euros/),
  attributes: (value) =>
    assert.deepEqual(value.attributes, [{ selector: '.price', attribute: 'data-euros', values: ['120'] }]),
  'attributes (missing from its documents)': (value) => assert.equal(value.metadata.statusCode, 200),
  'what changed': (value) => assert.match(JSON.stringify(value), /"changeStatus":"(new|same)"/),
  'a profile': (value) => assert.match(markdown(value), /^# Prices/),
  'several pages': (value) => assert.equal(value.length, 2),
  'a PDF': (value) => assert.equal(markdown(value), 'Tides of March\n\nTides of April'),
  'a Word document'(value) {
    assert.equal(markdown(value), '# Notes\n\nThe lamp needs oil.');
    assert.match(content(value).html, /<h1>Notes<\/h1>/);
  },
  'an HTML file': (value) => assert.equal(markdown(value), '# Keeper\n\nThe keeper sleeps.'),

  'a whole site'(value) {
    // A download is a list of folders.
    if (Array.isArray(value)) return assert.ok(value.includes('127.0.0.1/index.md'), String(value));
    assert.equal(value.status, 'completed');
    assert.deepEqual(pathsOf(value.data), wholeSite);
  },
  'a folder of a site'(value) {
    assert.equal(value.status, 'completed');
    assert.deepEqual(pathsOf(value.data), wholeSite.slice(2));
  },
  'a site that cannot be reached': (value) => assert.equal(value.status, 'failed'),
  async webhooks(value, { rig, name }) {
    assert.equal(value.status, 'completed');
    await eventually(() => {
      const types = rig.site.deliveries(name).map(({ type }) => type);
      assert.deepEqual(types.sort(), ['crawl.completed', 'crawl.page', 'crawl.started']);
    });
  },
  'a timeout': (value) => assert.equal(value, 'JobTimeoutError'),
  'parameters of a crawl'(value) {
    assert.deepEqual(value.includePaths, ['^/rooms/']);
    // The asynchronous client leaves the limit out.
    assert.ok([5, undefined].includes(value.limit), String(value.limit));
  },
  'a job': (value) => assert.match(jobId(value), /^[0-9a-f-]{36}$/),
  'a running crawl': (value) => assert.equal(value.status, 'scraping'),
  'a running batch': (value) => assert.equal(value.status, 'scraping'),
  'an unknown job': refused(/Job not found/, 'an unknown job'),
  'errors of pages': (value) => assert.deepEqual([value.errors, value.robotsBlocked], [[], []]),
  'active crawls'(value, { rig }) {
    assert.equal(value.url, `${rig.site.url}/`);
    assert.equal(value.options.limit, 4);
  },
  'a cancellation': (value) =>
    assert.ok(value === true || value.success === true || /cancel/i.test(JSON.stringify(value)), JSON.stringify(value)),
  'documents of a crawl'(value, { rig }) {
    assert.equal(value.status, 'completed');
    assert.deepEqual(value.urls, [`${rig.site.url}/prices`]);
  },
  'documents of a batch'(value, { rig }) {
    assert.equal(value.status, 'completed');
    assert.deepEqual(
      value.urls.sort(),
      ['prices', 'prices', 'rooms/attic'].map((path) => `${rig.site.url}/${path}`),
    );
  },
  'every page of a list'(value) {
    assert.equal(value.status, 'completed');
    assert.deepEqual(pathsOf(value.data), ['/prices', '/prices', '/rooms/attic']);
  },
  'the URLs of a site': (value) =>
    assert.deepEqual(
      content(value)
        .links.map(({ url }: Loose) => new URL(url).pathname)
        .sort(),
      wholeSite,
    ),
  'URLs that match a search': (value) =>
    assert.deepEqual(
      value.links.map(({ url }: Loose) => new URL(url).pathname),
      ['/rooms/attic'],
    ),

  'a session'(value) {
    assert.match(typeof value === 'string' ? value : value.cdpUrl, /ws:\/\/127\.0\.0\.1:\d+\/cdp\//);
    assert.match(typeof value === 'string' ? value : value.liveViewUrl, /http:\/\/127\.0\.0\.1:\d+\/live\//);
  },
  'a result of JavaScript': (value) => assert.match(printed(value).trim(), /^(Prices|Booked Ada)$/),
  'a result of Python': (value) => assert.match(printed(value).trim(), /^(Prices|Booked Ada)$/),
  'a result of agent-browser': (value) => assert.match(printed(value).trim(), /^(Prices|Booked Ada)$/),
  'a result of Bash': (value) => assert.equal(printed(value).trim(), 'Prices'),
  'an error of the code': (value) =>
    assert.match(typeof value === 'string' ? value : value.error, /Error: no such room/),
  'open sessions': (value) => assert.match(typeof value === 'string' ? value : value.status, /\bactive\b/),
  'the end of a session'(value) {
    if (typeof value === 'string') return assert.match(value, /Session (stopped|closed)/);
    assert.equal(value.success, true);
    assert.ok(Number.isInteger(value.creditsBilled) && value.sessionDurationMs > 0, JSON.stringify(value));
  },
  'a session that has ended': refused(/Browser session has been destroyed/, 'a session that has ended'),
  'the same page later': (value) => assert.equal(printed(value), 'Booked Ada'),
  'a page by its address': (value) => assert.equal(printed(value), 'Prices'),
  'a prompt carried out': (value) =>
    assert.match(typeof value === 'string' ? value : value.output, /The title is Booked Ada\./),

  ...Object.fromEntries(
    ['HTTP', 'standard input and output'].flatMap((transport): [string, Check][] => [
      [
        `the tools over ${transport}`,
        ({ status, names }) => {
          assert.equal(status, 'ok');
          for (const name of ['page_navigate', 'run_code', 'scrape', 'crawl_start'])
            assert.ok(names.includes(name), name);
        },
      ],
      [
        `a page as Markdown over ${transport}`,
        (value) =>
          assert.match(
            value,
            /\nBEGIN untrusted page (\w+)\n[\s\S]*# Prices\n\nA night costs 120 euros\.\nEND untrusted page \1$/,
          ),
      ],
      [
        `a result of JavaScript over ${transport}`,
        (value) =>
          assert.match(value, /^The run succeeded\. Run r1 in session \w+\.\nBEGIN untrusted output (\w+)\nAda\nEND/),
      ],
      [
        `a page as text over ${transport}`,
        (value) =>
          assert.match(value, /^Opened\.\nBEGIN untrusted page \w+\nPage: Prices\n[\s\S]*A night costs 120 euros/),
      ],
      [`the end of a session over ${transport}`, (value) => assert.match(value, /^Closed session \w+ after \d+ s\.$/)],
    ]),
  ),
  'a wrong key': refused(/\b401\b|The service refused the key/, 'a wrong key'),

  'a page driven by its cdpUrl'(value) {
    assert.deepEqual([value.title, value.text], ['Booked Ada', 'Booked for Ada']);
    assert.ok(value.screenshot !== false, 'the screenshot is empty');
  },

  'results of the web'(value) {
    const { web } = content(value);
    assert.ok(web.length > 0 && web.length <= 3, JSON.stringify(value));
    assert.ok(
      web.every(({ url, title }: Loose) => url && title),
      JSON.stringify(web),
    );
  },
  'results with their pages': (value) => assert.match(JSON.stringify(value), /"markdown":"# \w+/),
  'news and images'(value) {
    assert.equal(content(value).news.length, 1);
    assert.equal(content(value).images.length, 1);
  },
  'the state of a job': (value) => assert.match(content(value).status ?? value.status, /^(processing|completed)$/),

  'jobs at the same time': ({ concurrency, maxConcurrency }) => assert.ok(concurrency >= 0 && maxConcurrency > 0),
  credits(value) {
    const { remainingCredits, planCredits } = content(value);
    assert.ok(remainingCredits > 0 && planCredits >= remainingCredits, JSON.stringify(value));
  },
  tokens: ({ remainingTokens, planTokens }) => assert.ok(remainingTokens > 0 && planTokens >= remainingTokens),
  'credits by month'({ success, periods }) {
    assert.equal(success, true);
    assert.ok(
      periods.every(({ creditsUsed }: Loose) => Number.isInteger(creditsUsed)),
      JSON.stringify(periods),
    );
  },
  'tokens by month'({ success, periods }) {
    assert.equal(success, true);
    assert.ok(
      periods.every(({ tokensUsed }: Loose) => Number.isInteger(tokensUsed)),
      JSON.stringify(periods),
    );
  },
  'the queue': ({ jobsInQueue, maxConcurrency }) => assert.ok(jobsInQueue >= 0 && maxConcurrency > 0),

  'stored settings': (value) => assert.match(value, /Authenticated|Login successful/),
  'the address of the service': (value, { rig }) =>
    assert.ok(
      Object.values(rig.services).some(({ baseUrl }) => value.includes(baseUrl)),
      value,
    ),
  'a file with the key': (value) => assert.match(value, /^FIRECRAWL_API_KEY=/),
  'removed settings': (value) => assert.match(value, /Logged out/),
  'the version': (value) => assert.match(value, /1\.23\.3/),
  'the state of the connection': (value) => assert.match(value, /custom URL|Authenticated/),

  'a name that does not resolve': refused(/couldn't be resolved/, 'a name that does not resolve'),
  'a failure of its own': {
    error: /^'Response' object has no attribute 'ok'$/,
    by: 'client',
    as: "`'Response' object has no attribute 'ok'`",
  },
  'a tool that was withdrawn': {
    error: /^firecrawl_\w+ is deprecated and unavailable through MCP/,
    by: 'client',
    as: 'it was withdrawn',
  },
  'no branding': refused(/"branding" isn't supported/, 'the format branding'),
  'no redaction': refused(/redactPII isn't supported/, 'redactPII'),
  'a monitor': (value) => assert.match(JSON.stringify(value), /active/),
  monitors: (value) => assert.ok(value),
  'a check': (value) => assert.match(JSON.stringify(value), /"manual"/),
  'checks of a monitor': (value) => assert.match(JSON.stringify(value), /"manual"/),
  'a check with its pages': (value) => {
    assert.match(JSON.stringify(value), /"completed"/);
    assert.equal(value.pages[0].status, 'new');
  },
  'a deletion': (value) => assert.equal(value, true),
  'an unknown monitor': refused(/Monitor not found/, 'an unknown monitor'),
  'no version 1': refused(/only version 2 of the API/, 'version 1 of the API'),
  'no index of its own': refused(
    /no index of (papers or repositories|government documents)/,
    'an index of papers, repositories and government documents',
  ),
  'no tools of providers': refused(/no tools of providers/, 'tools of providers'),
  'no list of file formats': refused(/docs\/scraping\.md lists the files/, 'a list of file formats'),
  'no threads': refused(/have no threads/, 'threads of agents'),
  'an unknown snapshot': refused(/Snapshot not found/, 'an unknown snapshot'),
  'the steps of a job': (value) => assert.match(JSON.stringify(value), /"run\.started"/),
  'jobs of agents': ({ agents }) => assert.ok(agents.length > 0 && agents.every(({ id }: Loose) => id)),
  'an answer to a support request': (value) => assert.match(String(value), /"euros":120\b/),
};

/** By client: methods that drop the reason of a refusal, and what they show instead. */
const withoutReason: Record<string, [method: RegExp, shown: RegExp][]> = {
  javascript: [
    [/^(v1\.(mapUrl|extract|asyncExtract)|research\..+)$/, /^Request failed with status code 404$/],
    [/^v1\.check(DeepResearch|GenerateLLMsText)Status$/, /job not found$/],
    [/^v1\.(scrapeUrl|cancelCrawl|check(Crawl|BatchScrape)\w+|get\w+)$/, /Status code: 404$/],
  ],
  'python-sync': [[/^v1\.generate_llms_text$/, /^'dict' object has no attribute 'text'$/]],
  cli: [[/^(developer|research .+)$/, /Request failed with status code 404$/]],
  mcp: [
    [/^firecrawl_research_search_github$/, /^firecrawl_\w+ is deprecated/],
    [/^firecrawl_(research_|developer_search)/, /Request failed with status code 404$/],
    // Without a key it asks no server.
    [/^firecrawl_find_tools$/, /no tools of providers|^Alexandria requires an API key/],
  ],
};

/** Checks what a call returned. Throws an AssertionError with the reason. */
export async function checkLine({ method, shows, value, error }: Line, about: About): Promise<void> {
  const check = checks[shows];
  assert.ok(check, `no check for "${shows}"`);
  if (typeof check === 'function') {
    assert.equal(error, undefined, error?.message);
    return await check(value, about);
  }
  // Some clients return the refusal.
  const reason = error?.message ?? (value?.success === false ? value.error : undefined);
  assert.equal(typeof reason, 'string', `it returned ${JSON.stringify(value)}`);
  const [, shown = check.error] = withoutReason[about.client]?.find(([methods]) => methods.test(method)) ?? [];
  assert.match(reason, shown);
}

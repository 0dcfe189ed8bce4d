import assert from 'node:assert/strict';
import { scrapeOptions } from '../../../src/contract/scrape/scrape.ts';
import { systemClock } from '../../../src/service/platform/clock.ts';
import { silentLog } from '../../../src/service/platform/log.ts';
import { createBodyBudget } from '../../../src/service/web/scrape/body-budget.ts';
import type { ConversionOptions } from '../../../src/service/web/scrape/convert/convert.ts';
import { convert } from '../../../src/service/web/scrape/convert/tasks.ts';
import { modelExtractor } from '../../../src/service/web/scrape/model-formats/model-formats.ts';
import { createScraper } from '../../../src/service/web/scrape/scraper.ts';
import type { Templates } from '../../../src/service/web/scrape/templates.ts';

/** A scraper of a site with one page, as it is fetched and as a browser shows it. */
function scraperOf(
  pages: {
    fetched: string;
    rendered: string;
    isGrowing?: boolean;
    clickedInVain?: boolean;
    nextButton?: { text: string; selector: string };
    /** How often a part of it fails. */
    failures?: number;
    /** Where it redirects to. */
    url?: string;
  },
  steps: string[] = [],
  onConvert: (options: ConversionOptions) => void = () => undefined,
) {
  let left = pages.failures ?? 0;
  return createScraper({
    fetcher: {
      async fetch(url) {
        steps.push('fetch');
        const headers = { 'content-type': 'text/html' };
        return {
          url: pages.url ?? url,
          status: 200,
          headers,
          body: new TextEncoder().encode(pages.fetched),
          truncated: false,
          hops: [url],
        };
      },
    },
    renderer: {
      async render({ url, onQueued }) {
        steps.push('render');
        onQueued?.(1234);
        const failed = { url: 'http://site.test/data', status: 503, retryAfter: undefined };
        const failedParts = left-- > 0 ? [failed] : [];
        const none = {
          retryAfter: undefined,
          screenshot: undefined,
          actions: undefined,
          lacks: [],
          besides: [],
          failedParts,
        };
        const { isGrowing = false, clickedInVain = false, nextButton } = pages;
        const grown = { isGrowing, clickedInVain, nextButton };
        return { url, status: 200, contentType: 'text/html', html: pages.rendered, ...grown, ...none };
      },
      async close() {},
    },
    converters: {
      compare: async () => [],
      async convert(task, options) {
        steps.push('convert');
        onConvert(options);
        return await convert(task);
      },
      async close() {},
    },
    budget: createBodyBudget(),
    cache: { find: async () => undefined, store: () => undefined, close: async () => undefined },
    extractor: {
      ...modelExtractor({ find: () => undefined }),
      status: () => ({ configured: true }),
      async extract() {
        steps.push('think');
        return { value: { found: true } };
      },
    },
    versions: { find: async () => undefined },
    clock: systemClock,
    log: silentLog,
  });
}

describe('the scraper', () => {
  it('reports when it sends requests to the site, and when it does not because the page is being converted or a model reads it', async () => {
    const steps: string[] = [];
    const pages = {
      fetched: '<body><div id="root"></div><script src="/app.js"></script></body>',
      rendered: '<h1>Rendered</h1>',
    };
    const scraper = scraperOf(pages, steps);
    const { document } = await scraper.scrape({
      url: 'http://site.test/',
      options: scrapeOptions.parse({ formats: [{ type: 'json', prompt: 'x' }] }),
      team: 'default',
      signal: new AbortController().signal,
      onAsking: (asking) => steps.push(asking ? 'ask' : 'answered'),
    });
    assert.deepEqual(document.json, { found: true });
    const { concurrencyLimited, concurrencyQueueDurationMs } = document.metadata;
    assert.deepEqual([concurrencyLimited, concurrencyQueueDurationMs], [true, 1234]);
    assert.deepEqual(steps, [
      ...['ask', 'fetch', 'answered', 'convert'],
      ...['ask', 'render', 'answered', 'convert', 'think'],
    ]);
  });

  it('says that a page is nested too deeply', async () => {
    const html = `<p>Words</p>${'<div>'.repeat(3000)}`;
    const { document } = await scraperOf({ fetched: html, rendered: html }).scrape({
      url: 'http://site.test/',
      options: scrapeOptions.parse({}),
      team: 'default',
      signal: new AbortController().signal,
    });
    assert.match(document.warning ?? '', /^The page is nested too deeply/);
  });

  it('asks a language model once, for the page that is kept', async () => {
    const page = '<h1>Notes</h1><div id="app"></div><script src="/app.js"></script>';
    for (const [failures, renders] of [
      [0, 1],
      [1, 2],
      [9, 3],
    ] as const) {
      const steps: string[] = [];
      const { document, failedParts } = await scraperOf({ fetched: page, rendered: page, failures }, steps).scrape({
        url: 'http://site.test/',
        options: scrapeOptions.parse({ formats: [{ type: 'json', prompt: 'x' }] }),
        team: 'default',
        signal: new AbortController().signal,
        async improve(first, again) {
          for (let tries = 0, last = first; tries < 2 && last.failedParts; tries++) {
            last = await again();
            if (!last.failedParts) return last;
          }
          return first;
        },
      });
      assert.deepEqual(document.json, { found: true });
      assert.equal(failedParts !== undefined, failures > 2);
      assert.deepEqual(
        steps.filter((step) => step === 'render' || step === 'think'),
        [...Array(renders).fill('render'), 'think'],
      );
    }
  });

  it('lets a page be converted for as long as its request has, on a busy machine too', async () => {
    const page = '<h1>Notes</h1>';
    for (const timeout of [10_000, 60_000, undefined]) {
      const given: ConversionOptions[] = [];
      const scraper = scraperOf({ fetched: page, rendered: page }, [], (options) => given.push(options));
      const options = scrapeOptions.parse({ formats: ['markdown'], ...(timeout && { timeout }) });
      const { signal } = new AbortController();
      await scraper.scrape({ url: 'http://site.test/', options, team: 'default', signal });
      assert.deepEqual(
        given.map(({ timeoutMs, deadlineMs }) => timeoutMs >= deadlineMs),
        [true],
      );
    }
  });

  it('says that a page is mainly a login form, which may be there in place of the page', async () => {
    const form = '<form><label>User <input name="u"></label><input type="password"><button>Log in</button></form>';
    const warningOf = async (html: string) => {
      const { document } = await scraperOf({ fetched: html, rendered: html }).scrape({
        url: 'http://site.test/orders',
        options: scrapeOptions.parse({}),
        team: 'default',
        signal: new AbortController().signal,
      });
      return document.warning;
    };
    for (const title of ['', '<h1>Members</h1><p>Please log in.</p>'])
      assert.match(
        (await warningOf(`<main>${title}${form}</main>`)) ?? '',
        /^The page is mainly a login form\. .* profile/,
      );
    const text = `<p>${'The orders of the day are listed here. '.repeat(30)}</p>`;
    for (const html of [
      `<main><h1>Orders</h1>${text}${form}</main>`,
      `<header>${form}</header><main><h1>Hi</h1></main>`,
    ])
      assert.equal(await warningOf(html), undefined);
  });

  it('says that a site asked for a login, but not of a page with a login box that another one redirects to', async () => {
    const field = '<input type="password">';
    const form = `<form><input name="u">${field}<button>Go</button></form>`;
    const text = `<p>${'The orders of the day are listed here. '.repeat(30)}</p>`;
    const site = 'http://site.test';
    const ordinary = [
      [`${site}/topic/1`, `<title>Topic</title><header>${form}</header><main><h1>Topic</h1>${text}</main>`],
      [`${site}/topic/2`, `<title>Topic</title><header>${form}</header><main><h1>Topic</h1><p>Short.</p></main>`],
      [`${site}/topic/3`, `<title>Topic</title><main><h1>Topic</h1>${text}</main><aside>${form}</aside>`],
      [`${site}/topic/4`, `<title>Topic</title><main><h1>Topic</h1>${text}${form}</main>`],
      [`${site}/forum/`, `<title>Login issues</title><div>${form}</div><main><h1>Login issues</h1>${text}</main>`],
      [`${site}/`, `<title>Shop</title><div>${form}</div><main><h1>Shop</h1>${text}</main><footer>Us</footer>`],
      [`${site}/blog/login-help`, `<title>How to log in</title><div>${form}</div><h1>How to log in</h1>${text}`],
      ['http://www.site.test/orders', `<title>Orders</title><header>${form}</header><h1>Orders</h1><p>None.</p>`],
      ['http://new.test/orders', `<title>Orders</title><header>${form}</header><h1>Orders</h1>${text}`],
      [`${site}/orders/`, `<title>Orders</title><main><h1>Orders</h1>${text}</main>`],
    ];
    const logins = [
      [`${site}/login?next=/orders`, `<title>Site</title>${form}${text}`],
      [`${site}/login/index.php`, `<title>Site</title><h1>Members</h1>${text}${form}`],
      [`${site}/users/sign_in`, `<title>Site</title><main>${form}</main>`],
      [`${site}/session`, `<title>Site</title><main><h1>Welcome back</h1>${form}</main>`],
      [`${site}/auth`, `<title>Sign in – Site</title><main><h1>Hello</h1>${text}${form}</main>`],
      ['http://id.test/step', `<title>Account</title><h1>Your e-mail</h1><div hidden>${field}</div><input name="u">`],
    ];
    for (const [pages, isLogin] of [
      [ordinary, false],
      [logins, true],
    ] as const)
      for (const [url = '', html = ''] of pages) {
        const { document, asksToLogIn } = await scraperOf({ fetched: html, rendered: html, url }).scrape({
          url: `${site}/orders`,
          options: scrapeOptions.parse({}),
          team: 'default',
          signal: new AbortController().signal,
        });
        assert.equal(asksToLogIn === true, isLogin, html);
        assert.equal(/^The site asked for a login/.test(document.warning ?? ''), isLogin, html);
      }
  });

  describe('of a page whose button loads more', () => {
    const page = '<main><h1>Notes</h1><p>One</p><button id="more">Load more</button></main><script>more()</script>';
    const scraper = scraperOf({ fetched: page, rendered: page });
    const click = { type: 'click', selector: '#more' };
    async function documentOf(actions: object[], job?: string) {
      const { document } = await scraper.scrape({
        url: 'http://site.test/',
        options: scrapeOptions.parse({ actions }),
        team: 'default',
        signal: new AbortController().signal,
        ...(job && { job }),
      });
      return document;
    }
    const warningOf = async (actions: object[], job?: string) => (await documentOf(actions, job)).warning;

    it('returns the actions that load it', async () => {
      const one = { ...click, all: false, repeat: true };
      const actionsOf = async (actions: object[], job?: string) =>
        (await documentOf(actions, job)).missing?.[0]?.actions;
      assert.deepEqual(await actionsOf([]), [one]);
      assert.deepEqual(await actionsOf([], 'crawl'), [one]);
      assert.deepEqual(await actionsOf([click]), [{ ...one, repeat: false }, one]);
      assert.equal(await actionsOf([click, { type: 'wait', milliseconds: 1 }]), undefined);
    });

    it('returns the parts of its warning, with the sentence that says to set these actions', async () => {
      for (const actions of [[], [click]])
        for (const job of [undefined, 'crawl']) {
          const { warning, missing = [] } = await documentOf(actions, job);
          const { what, advice } = missing?.[0] ?? {};
          assert.equal(missing?.length, 1);
          assert.match(
            advice ?? '',
            /^To get it, set actions: \[.*\](?: and a longer timeout, half of .*)?\.(?: Scrape .*)?$/,
          );
          assert.equal(warning, `${what} ${advice}`);
        }
    });

    it('says how to click it, and how often it was', async () => {
      const asked = 'To get it, set actions: [{"type":"click","selector":"#more","repeat":true}].';
      assert.equal(
        await warningOf([]),
        `The page has a button "Load more", which wasn't clicked: what it loads is missing. ${asked}`,
      );
      assert.equal(
        await warningOf([click]),
        'The page has a button "Load more", which is still there after it was clicked: more may be missing. ' +
          'To get it, set actions: [{"type":"click","selector":"#more"},{"type":"click","selector":"#more","repeat":true}]' +
          ' and a longer timeout, half of which it is clicked for.',
      );
      assert.equal(await warningOf([click, { type: 'wait', milliseconds: 1 }]), undefined);
      assert.equal(await warningOf(Array.from({ length: 50 }, () => click)), undefined);
    });

    it('says it also where its own attribute is the only script, but not where there is none', async () => {
      for (const [handler, because] of Object.entries({
        'onclick="list.innerHTML += 1"': 'scripts',
        'onclick="window.print()"': 'noScripts',
        'onclick="navigator.clipboard.writeText(list.innerText); this.textContent = 1"': 'noScripts',
        '': 'noScripts',
      })) {
        const html = `<main><h1>Notes</h1><p id="list">One</p><button ${handler}>Load more</button></main>`;
        const { document } = await scraperOf({ fetched: html, rendered: html }).scrape({
          url: 'http://site.test/',
          options: scrapeOptions.parse({}),
          team: 'default',
          signal: new AbortController().signal,
        });
        assert.equal(document.metadata.readBecause, because);
        assert.equal(/"Load more", which wasn't clicked/.test(document.warning ?? ''), because === 'scripts');
      }
    });

    it('says that it was clicked in vain, which other actions would not change', async () => {
      const { document } = await scraperOf({ fetched: page, rendered: page, clickedInVain: true }).scrape({
        url: 'http://site.test/',
        options: scrapeOptions.parse({ actions: [{ ...click, repeat: true }] }),
        team: 'default',
        signal: new AbortController().signal,
      });
      assert.equal(document.missing, undefined);
      const said =
        'The page has a button "Load more", which was clicked until it added nothing more, but is still there.';
      assert.equal(document.warning, said);
    });

    it('says in a job that its actions would run on every page', async () => {
      const said = await warningOf([], 'crawl');
      assert.match(
        said ?? '',
        /set actions: .* Scrape this page alone for that, with its links, then those links as a batch: the actions of a crawl or batch run on every page\.$/,
      );
    });
  });

  describe('of a page whose button shows the next rows of a list', () => {
    const page = (button: string) => `<main><h1>Notes</h1><p>One</p>${button}</main><script>next()</script>`;
    const list = page('<div class="pagination"><button id="next">Next</button></div>');
    const next = { text: 'Next', selector: '#next' };
    const click = { type: 'click', selector: '#next', all: false, repeat: true };
    async function documentOf(html: string, nextButton?: typeof next, options = {}, templates?: Templates) {
      const scraper = scraperOf({ fetched: html, rendered: html, ...(nextButton && { nextButton }) });
      const { document } = await scraper.scrape({
        url: 'http://site.test/',
        options: scrapeOptions.parse(options),
        team: 'default',
        signal: new AbortController().signal,
        ...(templates && { templates }),
      });
      return [document.warning, document.missing?.[0]?.actions];
    }

    it('says that there are more if the browser found so, or if there was none', async () => {
      const asked = 'To get it, set actions: [{"type":"click","selector":"#next","repeat":true}]';
      const missing = [
        `The page has a button "Next", which wasn't clicked: what it loads is missing. ${asked}.`,
        [click],
      ];
      assert.deepEqual(await documentOf(list), [undefined, undefined]);
      assert.deepEqual(await documentOf(list, undefined, { fastMode: true }), missing);
      assert.deepEqual(await documentOf(list, next), missing);
      const [warning] = await documentOf(list, next, { actions: [click] });
      assert.match(String(warning), /"Next", which is still there after it was clicked: more may be missing/);
    });

    it('says so of a page that was only fetched if the button stands among those of pages', async () => {
      const fetched: Templates = { begin: () => 'fetch', plain() {}, compared() {}, decide: async () => 'fetch' };
      const says = [
        ['<div class="pager"><button>Next</button></div>', true],
        ['<nav aria-label="Pagination"><a role="button" aria-label="Next page">›</a></nav>', true],
        ['<button>Next</button>', false],
        ['<div class="pager"></div><button>Next</button>', false],
        ['<div class="pager"><a href="/2">Next</a></div>', false],
        ['<form class="pager"><button>Next</button></form>', false],
        ['<div class="pager"><button aria-current="page">1</button><button>2</button></div>', true],
        ['<nav class="pagination"><ul><li><a href="/2">2</a></li></ul></nav>', false],
        ['<p>Size <button>1</button><button>2</button></p>', false],
        ['<div class="pager"><button>1</button></div>', false],
        ['<button aria-label="Show more options">⋮</button>', false],
        ['<button aria-haspopup="menu">Show more</button>', false],
      ] as const;
      for (const [button, isSaid] of says) {
        const [warning] = await documentOf(page(button), undefined, {}, fetched);
        assert.equal(/wasn't clicked/.test(String(warning)), isSaid, button);
      }
    });

    it('selects a button that has only a number by its place', async () => {
      const pager = '<ul class="pagination"><li><button disabled>1</button></li><li><button>2</button></li></ul>';
      const [warning] = await documentOf(page(pager), undefined, { fastMode: true });
      const selector = 'ul.pagination > li:nth-of-type(2) > button:nth-of-type(1)';
      assert.ok(String(warning).includes(JSON.stringify({ type: 'click', selector, repeat: true })), String(warning));
    });
  });

  describe('of a page that grows as it is scrolled', () => {
    const list = '<main><h1>Feed</h1><ul><li>One</li><li>Two</li></ul></main><script>more()</script>';
    const button = '<button id="more">Load more</button>';
    const scroll = { type: 'scroll', direction: 'down' };
    async function documentOf(options: object, rendered = list) {
      const { document } = await scraperOf({ fetched: list, rendered, isGrowing: true }).scrape({
        url: 'http://site.test/',
        options: scrapeOptions.parse(options),
        team: 'default',
        signal: new AbortController().signal,
      });
      return [document.missing?.find(({ actions }) => actions)?.actions, document.warning] as const;
    }

    it('returns the actions and says the time with which it is read on, as long as there is more time', async () => {
      const sentence = 'The page keeps adding content as it is scrolled, and only its beginning was read.';
      const advice = (count: number) =>
        ` To get more, set actions: [${Array(count).fill('{"type":"scroll"}').join()}] and a longer timeout, half of which it is scrolled for.`;
      assert.deepEqual(await documentOf({}), [[scroll], sentence + advice(1)]);
      assert.deepEqual(await documentOf({ actions: [scroll] }), [[scroll, scroll], sentence + advice(2)]);
      assert.deepEqual(await documentOf({ timeout: 300_000 }), [undefined, sentence]);
    });

    it('is scrolled before its button is clicked', async () => {
      const [actions, warning] = await documentOf({}, list + button);
      assert.deepEqual(actions, [scroll]);
      assert.match(warning ?? '', /"type":"scroll".*button "Load more"/);
      const [atLast] = await documentOf({ timeout: 300_000 }, list + button);
      const click = { type: 'click', selector: '#more', all: false, repeat: true };
      assert.deepEqual(atLast, [click]);
      const [, scrolled] = await documentOf({ actions: [scroll] }, list + button);
      assert.match(
        scrolled ?? '',
        /button "Load more", which wasn't clicked: .*"scroll"},{"type":"click".*"repeat":true}]\.$/,
      );
      const [, clicked] = await documentOf({ actions: [click] }, list + button);
      assert.match(clicked ?? '', /is still there after it was clicked/);
      for (const others of [[{ type: 'wait', milliseconds: 1 }, scroll], [{ type: 'press', key: 'End' }]])
        assert.doesNotMatch((await documentOf({ actions: others }, list + button))[1] ?? '', /Load more/);
    });
  });
});

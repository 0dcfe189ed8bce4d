// Calls every method of @mendable/firecrawl-js and prints what each returns, one line of JSON a call.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { print, unknown } from './report.mjs';

const { name: who, folder, baseUrl, apiKey, site, dead, files } = JSON.parse(process.env.CLIENT_INPUT);
const entry = join(folder, 'node_modules/@mendable/firecrawl-js/dist/index.js');
const { default: Firecrawl, JobTimeoutError } = await import(pathToFileURL(entry).href);
const client = new Firecrawl({ apiUrl: baseUrl, ...(apiKey && { apiKey }) });

/** Reports what a call returned or threw, and returns it. */
async function call(method, shows, run) {
  try {
    const value = await run();
    print({ method, shows, value: value ?? null });
    return value;
  } catch (error) {
    print({ method, shows, error: { message: error.message, status: error.status, name: error.constructor.name } });
    return undefined;
  }
}
const schema = { type: 'object', properties: { euros: { type: 'number' } }, required: ['euros'] };
const json = { type: 'json', prompt: 'the price of a night', schema };
const quick = { pollInterval: 0.2, timeout: 120 };
const slow = { delay: 60, limit: 4 };

async function scrapes() {
  const url = `${site}/prices`;
  await Promise.all([
    call('scrape', 'a page as Markdown', () => client.scrape(url)),
    call('scrape', 'every kind of content', () =>
      client.scrape(site, { formats: ['markdown', 'html', 'rawHtml', 'links', 'images'], onlyMainContent: false }),
    ),
    call('scrape', 'a page that needs a browser', () => client.scrape(`${site}/rendered`, { waitFor: 300 })),
    call('scrape', 'a screenshot', () => client.scrape(url, { formats: [{ type: 'screenshot', fullPage: true }] })),
    call('scrape', 'actions', () =>
      client.scrape(`${site}/form`, {
        actions: [
          { type: 'click', selector: '#name' },
          { type: 'write', text: 'Ada' },
          { type: 'click', selector: 'button' },
          { type: 'executeJavascript', script: 'document.title' },
          { type: 'scrape' },
        ],
      }),
    ),
    call('scrape', 'JSON by a schema', () => client.scrape(url, { formats: [json] })),
    call('scrape', 'a summary', () => client.scrape(url, { formats: ['summary'] })),
    call('scrape', 'an answer to a query', () =>
      client.scrape(url, { formats: [{ type: 'query', prompt: 'What does a night cost?' }] }),
    ),
    call('scrape', 'attributes', () =>
      client.scrape(url, {
        formats: [{ type: 'attributes', selectors: [{ selector: '.price', attribute: 'data-euros' }] }],
      }),
    ),
    call('scrape', 'what changed', () =>
      client.scrape(url, { formats: ['markdown', { type: 'changeTracking', modes: ['git-diff'] }] }),
    ),
    call('scrape', 'a PDF', () => client.scrape(`${site}/report.pdf`)),
    call('scrape', 'no branding', () => client.scrape(url, { formats: ['branding'] })),
    call('scrape', 'no redaction', () => client.scrape(url, { redactPII: true })),
    call('scrape', 'a name that does not resolve', () => client.scrape('http://nowhere.invalid/')),
    call('scrapeUrl', 'a page as Markdown', () => client.scrapeUrl(url)),
  ]);
}

async function parses() {
  const file = async (name, contentType) => ({ data: await readFile(files[name]), filename: name, contentType });
  await Promise.all([
    call('parse', 'a PDF', async () => client.parse(await file('report.pdf', 'application/pdf'))),
    call('parse', 'a Word document', async () =>
      client.parse(await file('notes.docx'), { formats: ['markdown', 'html'] }),
    ),
    call('parse', 'an HTML file', async () => client.parse(await file('page.html', 'text/html'))),
  ]);
}

async function crawls() {
  await Promise.all([
    call('crawl', 'a whole site', () => client.crawl(site, { limit: 10, ...quick })),
    call('crawl', 'a folder of a site', () => client.crawl(site, { includePaths: ['^/rooms/'], limit: 10, ...quick })),
    call('crawl', 'a site that cannot be reached', () => client.crawl(dead, quick)),
    call('crawl', 'webhooks', () =>
      client.crawl(`${site}/prices`, {
        limit: 1,
        webhook: { url: `${site}/hook/${who}`, metadata: { who } },
        ...quick,
      }),
    ),
    call('crawl', 'a timeout', () =>
      client.crawl(site, { ...slow, pollInterval: 0.1, timeout: 0.3 }).catch((error) => {
        if (error instanceof JobTimeoutError) return 'JobTimeoutError';
        throw error;
      }),
    ),
    call('crawlUrl', 'a whole site', () => client.crawlUrl(site, { limit: 10, ...quick })),
    call('crawlParamsPreview', 'parameters of a crawl', () => client.crawlParamsPreview(site, 'only the rooms')),
    (async () => {
      const job = await call('startCrawl', 'a job', () => client.startCrawl(site, slow));
      await Promise.all([
        call('getCrawlStatus', 'a running crawl', () => client.getCrawlStatus(job.id)),
        call('getCrawlStatus', 'an unknown job', () => client.getCrawlStatus(unknown)),
        call('checkCrawlStatus', 'a running crawl', () => client.checkCrawlStatus(job.id)),
        call('getCrawlErrors', 'errors of pages', () => client.getCrawlErrors(job.id)),
        call('checkCrawlErrors', 'errors of pages', () => client.checkCrawlErrors(job.id)),
        call('getActiveCrawls', 'active crawls', async () => {
          const { crawls } = await client.getActiveCrawls();
          return crawls.find(({ id }) => id === job.id);
        }),
      ]);
      await call('cancelCrawl', 'a cancellation', () => client.cancelCrawl(job.id));
    })(),
    (async () => {
      const job = await call('asyncCrawlUrl', 'a job', () => client.asyncCrawlUrl(`${site}/prices`, { limit: 1 }));
      await call('watcher', 'documents of a crawl', () =>
        watched(client.watcher(job.id, { kind: 'crawl', pollInterval: 0.2, timeout: 120 })),
      );
    })(),
  ]);
}

/** Waits until a watcher is done. Resolves to its last state and the URLs of its documents. */
async function watched(watcher) {
  const urls = [];
  watcher.on('document', (document) => urls.push(document.metadata.sourceURL));
  const done = new Promise((resolve, reject) => {
    watcher.on('done', resolve);
    watcher.on('error', (error) => reject(new Error(error.error ?? error.message)));
  });
  await watcher.start();
  const { status } = await done;
  return { status, urls };
}

async function batches() {
  const urls = [`${site}/prices`, `${site}/rooms/attic`, `${site}/prices`];
  await Promise.all([
    call('batchScrape', 'every page of a list', () => client.batchScrape(urls, quick)),
    call('batchScrapeUrls', 'every page of a list', () => client.batchScrapeUrls(urls, quick)),
    (async () => {
      const job = await call('startBatchScrape', 'a job', () =>
        client.startBatchScrape([`${site}/prices`, `${site}/held`], { options: { timeout: 300_000 } }),
      );
      await Promise.all([
        call('getBatchScrapeStatus', 'a running batch', () => client.getBatchScrapeStatus(job.id)),
        call('checkBatchScrapeStatus', 'a running batch', () => client.checkBatchScrapeStatus(job.id)),
        call('getBatchScrapeErrors', 'errors of pages', () => client.getBatchScrapeErrors(job.id)),
        call('checkBatchScrapeErrors', 'errors of pages', () => client.checkBatchScrapeErrors(job.id)),
      ]);
      await call('cancelBatchScrape', 'a cancellation', () => client.cancelBatchScrape(job.id));
    })(),
    (async () => {
      const job = await call('asyncBatchScrapeUrls', 'a job', () => client.asyncBatchScrapeUrls(urls));
      await call('watcher', 'documents of a batch', () =>
        watched(client.watcher(job.id, { kind: 'batch', pollInterval: 0.2, timeout: 120 })),
      );
    })(),
  ]);
}

async function sessions() {
  const session = await call('browser', 'a session', () =>
    client.browser({ ttl: 300, activityTtl: 120, profile: { name: who } }),
  );
  const run = (language, code) => client.browserExecute(session.id, { language, code, timeout: 120 });
  await call('browserExecute', 'a result of JavaScript', () =>
    run('node', `await page.goto('${site}/prices'); await page.title()`),
  );
  await call('browserExecute', 'a result of Python', () => run('python', 'print(await page.title())'));
  await call('browserExecute', 'a result of agent-browser', () =>
    client.browserExecute(session.id, { code: 'agent-browser get title', timeout: 120 }),
  );
  await call('browserExecute', 'an error of the code', () => run('node', "throw new Error('no such room')"));
  await call('listBrowsers', 'open sessions', async () => {
    const { sessions } = await client.listBrowsers({ status: 'active' });
    return sessions.find(({ id }) => id === session.id);
  });
  await call('deleteBrowser', 'the end of a session', () => client.deleteBrowser(session.id));
  await call('browserExecute', 'a session that has ended', () => run('node', '1'));
}

async function interactions() {
  const { metadata } = await client.scrape(`${site}/form`);
  const id = metadata.scrapeId;
  await call('interact', 'a result of JavaScript', () =>
    client.interact(id, { code: "await page.fill('#name', 'Ada'); await page.click('button'); await page.title()" }),
  );
  await call('scrapeExecute', 'the same page later', () => client.scrapeExecute(id, { code: 'await page.title()' }));
  await call('interact', 'a prompt carried out', () => client.interact(id, { prompt: 'What is the title?' }));
  await call('stopInteraction', 'the end of a session', () => client.stopInteraction(id));
  await call('stopInteractiveBrowser', 'the end of a session', () => client.stopInteractiveBrowser(id));
  await call('deleteScrapeBrowser', 'the end of a session', () => client.deleteScrapeBrowser(id));
  await call('interact', 'a session that has ended', () => client.interact(id, { code: '1' }));
}

async function others() {
  const url = `${site}/prices`;
  await Promise.all([
    call('map', 'the URLs of a site', () => client.map(site)),
    call('map', 'URLs that match a search', () => client.map(site, { search: 'attic', limit: 10 })),
    call('mapUrl', 'the URLs of a site', () => client.mapUrl(site)),
    call('search', 'results of the web', () => client.search('tide prices', { limit: 3 })),
    call('search', 'results with their pages', () =>
      client.search('night euros', { limit: 1, scrapeOptions: { formats: ['markdown'] } }),
    ),
    call('search', 'news and images', () => client.search('lighthouse', { limit: 1, sources: ['news', 'images'] })),
    call('extract', 'JSON by a schema', () =>
      client.extract({ urls: [url], prompt: 'the price of a night', schema, ...quick }),
    ),
    (async () => {
      const job = await call('startExtract', 'a job', () => client.startExtract({ urls: [url], schema }));
      await call('getExtractStatus', 'the state of a job', () => client.getExtractStatus(job?.id ?? unknown));
    })(),
    call('agent', 'JSON by a schema', () =>
      client.agent({ prompt: 'the price of a night', urls: [url], schema, ...quick }),
    ),
    (async () => {
      const job = await call('startAgent', 'a job', () =>
        client.startAgent({ prompt: 'wait for a cancellation', urls: [url], schema }),
      );
      await call('getAgentStatus', 'the state of a job', () => client.getAgentStatus(job?.id ?? unknown));
      await call('getAgentTrace', 'the steps of a job', () => client.getAgentTrace(job?.id ?? unknown));
      await call('getAgentSnapshot', 'an unknown snapshot', () => client.getAgentSnapshot(job?.id ?? unknown, 'none'));
      await call('listAgents', 'jobs of agents', () => client.listAgents());
      await call('cancelAgent', 'a cancellation', () => client.cancelAgent(job?.id ?? unknown));
    })(),
    call('getAgentThread', 'no threads', () => client.getAgentThread(unknown)),
    call('feedback', 'an unknown job', () =>
      client.feedback({ endpoint: 'scrape', jobId: unknown, rating: 'good', note: 'complete' }),
    ),
    call('searchFeedback', 'an unknown job', () =>
      client.searchFeedback(unknown, { rating: 'good', valuableSources: [{ url, reason: 'the price' }] }),
    ),
    call('findTools', 'no tools of providers', () => client.findTools({ level: 'providers' })),
    call('developerSearch', 'no index of its own', () => client.developerSearch('tide')),
    call('research.searchPapers', 'no index of its own', () => client.research.searchPapers('tide')),
    call('research.getPaper', 'no index of its own', () => client.research.getPaper('arxiv:1706.03762')),
    call('research.similarPapers', 'no index of its own', () =>
      client.research.similarPapers('arxiv:1706.03762', { intent: 'tide' }),
    ),
    call('research.searchGithub', 'no index of its own', () => client.research.searchGithub('tide')),
    call('getConcurrency', 'jobs at the same time', () => client.getConcurrency()),
    call('getCreditUsage', 'credits', () => client.getCreditUsage()),
    call('getTokenUsage', 'tokens', () => client.getTokenUsage()),
    call('getCreditUsageHistorical', 'credits by month', () => client.getCreditUsageHistorical()),
    call('getTokenUsageHistorical', 'tokens by month', () => client.getTokenUsageHistorical(true)),
    call('getQueueStatus', 'the queue', () => client.getQueueStatus()),
    monitors(url),
    call('getMonitor', 'an unknown monitor', () => client.getMonitor(unknown)),
    call('updateMonitor', 'an unknown monitor', () => client.updateMonitor(unknown, { name: 'b' })),
    call('deleteMonitor', 'an unknown monitor', () => client.deleteMonitor(unknown)),
    call('runMonitor', 'an unknown monitor', () => client.runMonitor(unknown)),
    call('listMonitorChecks', 'an unknown monitor', () => client.listMonitorChecks(unknown)),
    call('getMonitorCheck', 'an unknown monitor', () => client.getMonitorCheck(unknown, unknown)),
  ]);
}

/** One monitor, from its creation to its deletion. */
async function monitors(url) {
  const targets = [{ type: 'scrape', urls: [url] }];
  const request = { name: 'a', schedule: { text: 'daily' }, targets };
  const monitor = await call('createMonitor', 'a monitor', () => client.createMonitor(request));
  const { id } = monitor ?? { id: unknown };
  await call('listMonitors', 'monitors', () => client.listMonitors({ limit: 10 }));
  await call('getMonitor', 'a monitor', () => client.getMonitor(id));
  await call('updateMonitor', 'a monitor', () =>
    client.updateMonitor(id, { name: 'b', schedule: { cron: '0 9 * * 1' } }),
  );
  const check = await call('runMonitor', 'a check', () => client.runMonitor(id));
  await call('listMonitorChecks', 'checks of a monitor', () => client.listMonitorChecks(id, { limit: 10 }));
  await call('getMonitorCheck', 'a check with its pages', async () => {
    for (;;) {
      const detail = await client.getMonitorCheck(id, check.id, { limit: 10 });
      if (detail.finishedAt) return detail;
      await new Promise((done) => setTimeout(done, 200));
    }
  });
  await call('deleteMonitor', 'a deletion', () => client.deleteMonitor(id));
}

/** The methods of version 1 are called with what is enough to send a request. */
async function firstVersion() {
  const argumentsOf = {
    search: ['tide', {}],
    crawlUrl: [site, {}],
    asyncCrawlUrl: [site, {}],
    checkCrawlStatus: [unknown],
    checkCrawlErrors: [unknown],
    cancelCrawl: [unknown],
    mapUrl: [site, {}],
    batchScrapeUrls: [[site], {}],
    asyncBatchScrapeUrls: [[site], {}],
    checkBatchScrapeStatus: [unknown],
    checkBatchScrapeErrors: [unknown],
    extract: [[site], { prompt: 'price' }],
    asyncExtract: [[site], { prompt: 'price' }],
    getExtractStatus: [unknown],
    deepResearch: ['tide', {}],
    asyncDeepResearch: ['tide', {}],
    checkDeepResearchStatus: [unknown],
    generateLLMsText: [site, {}],
    asyncGenerateLLMsText: [site, {}],
    checkGenerateLLMsTextStatus: [unknown],
    scrapeUrl: [site, {}],
    getQueueStatus: [],
    getCreditUsage: [],
    getTokenUsage: [],
    getCreditUsageHistorical: [],
    getTokenUsageHistorical: [],
    crawlUrlAndWatch: [site, {}],
    batchScrapeUrlsAndWatch: [[site], {}],
  };
  await Promise.all(
    Object.entries(argumentsOf).map(([name, values]) =>
      call(`v1.${name}`, 'no version 1', async () => {
        const answer = await client.v1[name](...values);
        // Some of them return what others throw.
        if (answer?.success === false) throw new Error(answer.error);
        return answer;
      }),
    ),
  );
}

const namesOf = (object) => Object.getOwnPropertyNames(Object.getPrototypeOf(object));
print({
  methods: [
    ...namesOf(client),
    ...namesOf(Object.getPrototypeOf(client)),
    ...namesOf(client.v1).map((name) => `v1.${name}`),
  ],
});
await Promise.all([scrapes(), parses(), crawls(), batches(), sessions(), interactions(), others(), firstVersion()]);
process.exit(0);

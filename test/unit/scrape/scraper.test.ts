import assert from 'node:assert/strict';
import { scrapeOptions } from '../../../src/contract/scrape/scrape.ts';
import { systemClock } from '../../../src/service/clock.ts';
import { always } from '../../../src/service/language-model/models.ts';
import { silentLog } from '../../../src/service/log.ts';
import { createBodyBudget } from '../../../src/service/scrape/body-budget.ts';
import { convert } from '../../../src/service/scrape/convert/tasks.ts';
import { modelExtractor } from '../../../src/service/scrape/model-formats/model-formats.ts';
import { createScraper } from '../../../src/service/scrape/scraper.ts';

describe('the scraper', () => {
  it('reports when it sends requests to the site, and when it does not because the page is being converted or a model reads it', async () => {
    const steps: string[] = [];
    const pages = {
      fetched: '<body><div id="root"></div><script src="/app.js"></script></body>',
      rendered: '<h1>Rendered</h1>',
    };
    const scraper = createScraper({
      fetcher: {
        async fetch(url) {
          steps.push('fetch');
          const headers = { 'content-type': 'text/html' };
          return {
            url,
            status: 200,
            headers,
            body: new TextEncoder().encode(pages.fetched),
            truncated: false,
            hops: [url],
          };
        },
      },
      renderer: {
        async render({ url }) {
          steps.push('render');
          const none = { retryAfter: undefined, screenshot: undefined, actions: undefined };
          return { url, status: 200, contentType: 'text/html', html: pages.rendered, ...none };
        },
        async close() {},
      },
      converters: {
        async convert(task) {
          steps.push('convert');
          return await convert(task);
        },
        async close() {},
      },
      budget: createBodyBudget(),
      cache: { find: async () => undefined, store: () => undefined, close: async () => undefined },
      extractor: {
        ...modelExtractor(always(undefined)),
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
    const { document } = await scraper.scrape({
      url: 'http://site.test/',
      options: scrapeOptions.parse({ formats: [{ type: 'json', prompt: 'x' }] }),
      team: 'default',
      signal: new AbortController().signal,
      onAsking: (asking) => steps.push(asking ? 'ask' : 'answered'),
    });
    assert.deepEqual(document.json, { found: true });
    assert.deepEqual(steps, [
      ...['ask', 'fetch', 'answered', 'convert'],
      ...['ask', 'render', 'answered', 'convert', 'think'],
    ]);
  });
});

import assert from 'node:assert/strict';
import { scrapeOptions } from '../../../src/contract/scrape/scrape.ts';
import { systemClock } from '../../../src/service/platform/clock.ts';
import { always } from '../../../src/service/platform/language-model/models.ts';
import { silentLog } from '../../../src/service/platform/log.ts';
import { createBodyBudget } from '../../../src/service/web/scrape/body-budget.ts';
import { convert } from '../../../src/service/web/scrape/convert/tasks.ts';
import { modelExtractor } from '../../../src/service/web/scrape/model-formats/model-formats.ts';
import { createScraper } from '../../../src/service/web/scrape/scraper.ts';

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
        async render({ url, onQueued }) {
          steps.push('render');
          onQueued?.(1234);
          const none = { retryAfter: undefined, screenshot: undefined, actions: undefined, lacks: [] };
          return { url, status: 200, contentType: 'text/html', html: pages.rendered, ...none };
        },
        async close() {},
      },
      converters: {
        compare: async () => [],
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
    const { concurrencyLimited, concurrencyQueueDurationMs } = document.metadata;
    assert.deepEqual([concurrencyLimited, concurrencyQueueDurationMs], [true, 1234]);
    assert.deepEqual(steps, [
      ...['ask', 'fetch', 'answered', 'convert'],
      ...['ask', 'render', 'answered', 'convert', 'think'],
    ]);
  });
});

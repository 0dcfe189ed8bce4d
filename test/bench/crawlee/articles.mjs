// `node articles.mjs URL PAGES`: a CheerioCrawler that does what a crawl of this service does: it finds each page's article
// with Readability, converts it with turndown, and stores the Markdown in its dataset on disk.
import { Readability } from '@mozilla/readability';
import { CheerioCrawler, Configuration, Dataset } from 'crawlee';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';

const [start, count] = process.argv.slice(2);
const pages = Number(count);
const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' });
let done = 0;
let began = performance.now();
const configuration = new Configuration({ storageClientOptions: { localDataDirectory: './storage' }, logLevel: 'OFF' });
const dataset = await Dataset.open(undefined, { config: configuration });
const crawler = new CheerioCrawler(
  {
    async requestHandler({ body, enqueueLinks, request }) {
      await enqueueLinks({ strategy: 'same-origin' });
      const article = new Readability(parseHTML(String(body)).document).parse();
      const markdown = turndown.turndown(article?.content ?? '');
      await dataset.pushData({ url: request.loadedUrl, title: article?.title, markdown });
      done++;
      if (done === pages) report();
    },
  },
  configuration,
);

function report() {
  console.log(JSON.stringify({ pages: done, seconds: (performance.now() - began) / 1000 }));
  process.exit(0);
}

began = performance.now();
await crawler.run([start]);
report();

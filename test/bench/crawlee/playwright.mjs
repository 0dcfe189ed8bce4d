// `node playwright.mjs URL PAGES CHROME`: a PlaywrightCrawler that only collects links.
import { Configuration, PlaywrightCrawler } from 'crawlee';

const [start, count, executablePath] = process.argv.slice(2);
const pages = Number(count);
let done = 0;
let began = performance.now();
const crawler = new PlaywrightCrawler(
  {
    launchContext: { launchOptions: { executablePath, args: ['--no-sandbox'] } },
    async requestHandler({ enqueueLinks }) {
      await enqueueLinks({ strategy: 'same-origin' });
      done++;
      if (done === pages) report();
    },
  },
  new Configuration({ persistStorage: false, logLevel: 'OFF' }),
);

function report() {
  console.log(JSON.stringify({ pages: done, seconds: (performance.now() - began) / 1000 }));
  process.exit(0);
}

began = performance.now();
await crawler.run([start]);
report();

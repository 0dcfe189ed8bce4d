// `node floor.ts URL PAGES`: fetches linked pages with undici and only collects their links with htmlparser2.
import { Parser } from 'htmlparser2';
import { Agent, request } from 'undici';

const [start = '', count] = process.argv.slice(2);
const pages = Number(count);
const agent = new Agent({ connections: 50 });
const seen = new Set([start]);
const queue = [start];
let done = 0;

async function work(): Promise<void> {
  while (done < pages) {
    const url = queue.shift();
    if (url === undefined) {
      await new Promise(setImmediate);
      continue;
    }
    const { body } = await request(url, { dispatcher: agent });
    const parser = new Parser({
      onopentag(name, { href }) {
        if (name !== 'a' || href === undefined) return;
        const link = new URL(href, url);
        link.hash = '';
        if (link.origin !== new URL(start).origin || seen.has(link.href)) return;
        seen.add(link.href);
        queue.push(link.href);
      },
    });
    parser.end(await body.text());
    done++;
  }
}

const startedAt = performance.now();
await Promise.all(Array.from({ length: 50 }, work));
console.log(JSON.stringify({ pages: done, seconds: (performance.now() - startedAt) / 1000 }));
process.exit(0);

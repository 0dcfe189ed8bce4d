// `node site.ts PAGES [BYTES] [etags]`: serves linked pages of about 20 KB, or of so many bytes, on a free loopback port, which
// it prints. With `etags`, it answers 304 for a page that is unchanged. A request for `/change/N` changes every Nth page.
import { createServer } from 'node:http';
import { corpus } from '../../harness/page-corpus.ts';

const pages = Number(process.argv[2]);
const bytes = Number(process.argv[3] ?? 20_000);
const hasEtags = process.argv[4] === 'etags';
/** Every such page has changed. */
let changed = Number.POSITIVE_INFINITY;
const kinds = corpus({ pages: 40, minBytes: bytes, maxBytes: bytes });
/** Pages split at their links, which are generated for each page. */
const templates = kinds.map(({ html }) => html.split(/\/pages\/\d+\?ref=\w+|\/target\/\d+\/\d+/));

const isChanged = (number: number) => number > 0 && number % changed === 0;

const wordOf = (number: number) => [...String(number)].map((digit) => 'bcdfghklmn'[Number(digit)]).join('a');

function makePage(number: number): string {
  const parts = templates[number % templates.length] ?? [];
  let html = parts[0] ?? '';
  for (let index = 1; index < parts.length; index++) html += `/p/${(number * 31 + index * 7) % pages}${parts[index]}`;
  // Each page links to its three children in a tree, so every page is found.
  const tree = [1, 2, 3].map((child) => number * 3 + child).filter((child) => child < pages);
  const links = tree.map((child) => `<li><a href="/p/${child}">Page ${child}</a></li>`).join('');
  // No page says the same as another one.
  const words = [1, 2, 3, 4].map((factor) => `${wordOf(number * factor)} ${wordOf(number + factor)}`);
  const own = html.replace(/<h1[^>]*>/, (tag) => `${tag}${words.join(' ')} `);
  const whole = own.replace('</main>', `<ul>${links}</ul></main>`);
  return isChanged(number) ? whole.replace(/<h1[^>]*>/, (tag) => `${tag}Changed: `) : whole;
}

const server = createServer((request, response) => {
  const change = /^\/change\/(\d+)$/.exec(request.url ?? '');
  if (change) {
    changed = Number(change[1]);
    return void response.end();
  }
  const number = Number(/^\/p\/(\d+)$/.exec(request.url ?? '')?.[1] ?? Number.NaN);
  if (!(number < pages)) return void response.writeHead(404).end();
  const etag = `"${number} ${isChanged(number)}"`;
  if (hasEtags && request.headers['if-none-match'] === etag) return void response.writeHead(304).end();
  const headers = { 'content-type': 'text/html; charset=utf-8', ...(hasEtags && { etag }) };
  response.writeHead(200, headers).end(makePage(number));
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as { port: number }).port));

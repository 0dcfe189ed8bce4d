// `node site.ts PAGES [BYTES]`: serves linked pages of about 20 KB, or of so many bytes, on a free loopback port, which it prints.
import { createServer } from 'node:http';
import { corpus } from '../../harness/page-corpus.ts';

const pages = Number(process.argv[2]);
const bytes = Number(process.argv[3] ?? 20_000);
const kinds = corpus({ pages: 40, minBytes: bytes, maxBytes: bytes });
/** Pages split at their links, which are generated for each page. */
const templates = kinds.map(({ html }) => html.split(/\/pages\/\d+\?ref=\w+|\/target\/\d+\/\d+/));

function makePage(number: number): string {
  const parts = templates[number % templates.length] ?? [];
  let html = parts[0] ?? '';
  for (let index = 1; index < parts.length; index++) html += `/p/${(number * 31 + index * 7) % pages}${parts[index]}`;
  // Each page links to its three children in a tree, so every page is found.
  const tree = [1, 2, 3].map((child) => number * 3 + child).filter((child) => child < pages);
  const links = tree.map((child) => `<li><a href="/p/${child}">Page ${child}</a></li>`).join('');
  return html.replace('</main>', `<ul>${links}</ul></main>`);
}

const server = createServer((request, response) => {
  const number = Number(/^\/p\/(\d+)$/.exec(request.url ?? '')?.[1] ?? Number.NaN);
  if (!(number < pages)) return void response.writeHead(404).end();
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(makePage(number));
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as { port: number }).port));

// The site and the folder that the pictures show.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../repository.mjs';

const teas = [
  ['Assam', '4.20', 'Malty and strong. Steep for four minutes in boiling water.'],
  ['Darjeeling', '6.80', 'Flowery and light. Steep for three minutes at 90 °C.'],
  ['Sencha', '7.50', 'Fresh and green. Steep for ninety seconds at 70 °C.'],
  ['Rooibos', '3.90', 'Sweet and free of caffeine. Steep for as long as you like.'],
] as const;
const path = (name: string) => `/${name.toLowerCase()}`;

const style = `body{font:18px/1.6 Georgia,serif;color:#2b2a27;background:#fbf7ef;max-width:34em;margin:2em auto;padding:0 1.5em}
a{color:#7a4b12}h1{font-size:2em;margin:0 0 .4em}nav{margin-top:2em;font-size:.9em}nav a{margin-right:1em}
td{padding:.3em 2em .3em 0;border-bottom:1px solid #e4dac6}td+td{text-align:right}
input,button{font:inherit;padding:.3em .6em;margin-right:.6em}button{background:#7a4b12;color:#fff;border:0;border-radius:4px}`;
const table = `<table>${teas
  .map(([name, price]) => `<tr><td><a href="${path(name)}">${name}</a></td><td>${price}</td></tr>`)
  .join('')}</table>`;
const order = `<form onsubmit="document.title='Ordered for '+who.value;done.textContent='Thank you, '+who.value+'.';return false">
<p><label>Name <input id="who"></label> <button>Order</button></p><p id="done"></p></form>`;

const pages = new Map<string, { title: string; body: string }>([
  ['/', { title: 'Tea shop', body: `<p>Loose leaf teas from gardens that we know, per 100 g.</p>${table}` }],
  ...teas.map(
    ([name, price, text]) => [path(name), { title: name, body: `<p>${text}</p><p>${price} per 100 g</p>` }] as const,
  ),
  ['/order', { title: 'Order', body: `<p>A box with 100 g of each tea. We send it on the same day.</p>${order}` }],
  ['/delivery', { title: 'Delivery', body: '<p>We send what you order on the same day.</p>' }],
]);
const menu = `<nav><a href="/">Teas</a><a href="/order">Order</a><a href="/delivery">Delivery</a></nav>`;

/** Serves the shop on this machine. */
export async function openShop(): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const page = pages.get(request.url ?? '');
    if (!page) return response.writeHead(404).end();
    const { title, body } = page;
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(
      `<!doctype html><title>${title}</title><style>${style}</style><main><h1>${title}</h1>${body}</main>${menu}`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close };
}

const projectFiles = (url: string) => ({
  'package.json': '{\n  "name": "tea-prices",\n  "type": "module",\n  "dependencies": { "zod": "^4" }\n}\n',
  'lib/table.ts': `/** Reads the rows of a table. */
export async function readTable(page: { locator(selector: string): any }): Promise<string[][]> {
  return page.locator('tr').evaluateAll((rows: any[]) => rows.map((row) => [...row.cells].map((cell) => cell.innerText)));
}
`,
  'teas.js': `import { writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { readTable } from './lib/table.ts';

const Tea = z.object({ name: z.string(), price: z.coerce.number() });

await page.goto('${url}');
console.log('Opened', await page.title());

const rows = await readTable(page);
const teas = rows.map(([name, price]) => Tea.parse({ name, price }));
await writeFile('teas.json', JSON.stringify(teas));
teas
`,
});

/** Makes a folder with a snippet that uses a helper and a package, or an empty one. */
export function makeFolder(url?: string): { folder: string; remove(): void } {
  const parent = mkdtempSync(join(tmpdir(), 'webdata-pictures-'));
  const folder = join(parent, 'tea-prices');
  mkdirSync(folder);
  for (const [name, text] of Object.entries(url === undefined ? {} : projectFiles(url))) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  if (url !== undefined) {
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(join(ROOT, 'node_modules', 'zod'), join(folder, 'node_modules', 'zod'), 'dir');
  }
  return { folder, remove: () => rmSync(parent, { recursive: true, force: true }) };
}

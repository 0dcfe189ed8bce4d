// `npm run pictures` takes the picture of a run that README.md starts with, in the real workbench.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { endedRun } from '../test/harness/run-results.ts';
import { statusItem } from '../test/harness/sidebar.ts';
import { startWorkbench } from '../test/harness/workbench.ts';
import { runCommand } from '../test/harness/workbench-actions.ts';
import { ROOT } from './lib/repository.mjs';

const teas = [
  ['Assam', '4.20'],
  ['Darjeeling', '6.80'],
  ['Sencha', '7.50'],
  ['Rooibos', '3.90'],
];
const site = `<!doctype html><title>The Tea Shop</title><table>${teas
  .map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
  .join('')}</table>`;

const server = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8').end(site);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;

const files = {
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

await page.goto('http://127.0.0.1:${port}/teas');
console.log('Opened', await page.title());

const rows = await readTable(page);
const teas = rows.map(([name, price]) => Tea.parse({ name, price }));
await writeFile('teas.json', JSON.stringify(teas));
teas
`,
};

const folder = join(mkdtempSync(join(tmpdir(), 'webdata-pictures-')), 'tea-prices');
for (const [name, text] of Object.entries(files)) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}
mkdirSync(join(folder, 'node_modules'));
symlinkSync(join(ROOT, 'node_modules', 'zod'), join(folder, 'node_modules', 'zod'), 'dir');

const workbench = await startWorkbench({
  folder,
  file: join(folder, 'teas.js'),
  colorTheme: 'Light Modern',
  settings: { 'editor.minimap.enabled': false, 'breadcrumbs.enabled': false },
});
try {
  const { page } = workbench;
  await statusItem(page).waitFor({ timeout: 60_000 });
  await runCommand(page, 'Web Data: Run File');
  const run = await endedRun(page, 90_000);
  if (run.state !== 'ok') throw new Error(run.error);
  await page.waitForTimeout(3_000);
  await page.screenshot({ path: process.argv[2] ?? join(ROOT, 'docs', 'images', 'run.png') });
} finally {
  await workbench.close();
  server.close();
  rmSync(dirname(folder), { recursive: true, force: true });
}

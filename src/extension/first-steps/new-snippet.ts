import * as vscode from 'vscode';

/** A first script: it needs no network, and leaves a page to watch. */
export const snippet = `// Press ▶ at the top right to run this.
// \`page\` is an open tab of your own Chrome.
const shop = \`<!doctype html>
  <title>Tea shop</title>
  <h1>Tea shop</h1>
  <table>
    <tr><td>Assam</td><td>4.20</td></tr>
    <tr><td>Darjeeling</td><td>6.80</td></tr>
    <tr><td>Sencha</td><td>7.50</td></tr>
  </table>\`;

// Or open a site: await page.goto('https://example.com');
await page.goto(\`data:text/html,\${encodeURIComponent(shop)}\`);

const rows = await page.$$eval('tr', (found) =>
  found.map((row) => [...row.cells].map((cell) => cell.innerText)),
);

// The value of the last expression is the result.
// The page and your variables stay for the next run.
rows.map(([tea, price]) => ({ tea, price: Number(price) }));
`;

/** Opens an untitled JavaScript file with a script to run. */
export async function newSnippet(): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: 'javascript', content: snippet });
  await vscode.window.showTextDocument(document);
}

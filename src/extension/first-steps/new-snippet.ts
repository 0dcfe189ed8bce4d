import * as vscode from 'vscode';

/** A first script: it needs no network, and leaves a page to watch. */
export const snippet = `// First snippet
// Press ▶ at the top right to run this.
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

/** Starts of later scripts, by language. The first line names the tab. */
const starts: Readonly<Record<string, string>> = {
  javascript: `// New snippet\nawait page.goto('https://example.com');\nawait page.title();\n`,
  typescript: `// New snippet\nawait page.goto('https://example.com');\nawait page.title();\n`,
  python: `# New snippet\nawait page.goto('https://example.com')\nawait page.title()\n`,
};

/**
 * Opens an untitled file with a script to run: the first one in JavaScript, and later ones, which are short, in the language
 * of the active editor.
 */
export async function newSnippet(isFirst: boolean): Promise<void> {
  const active = vscode.window.activeTextEditor?.document.languageId ?? '';
  const language = !isFirst && Object.hasOwn(starts, active) ? active : 'javascript';
  const content = isFirst ? snippet : starts[language];
  const document = await vscode.workspace.openTextDocument({ language, ...(content && { content }) });
  await vscode.window.showTextDocument(document);
}

import * as vscode from 'vscode';
import { offeredUrls, typedUrl } from './offered-urls.ts';
import { label } from './text.ts';

/** Asks for a URL. Offers those under the cursor and in the clipboard; any other can be typed. */
export async function askUrl(title: string): Promise<string | undefined> {
  const offered = offeredUrls({ ...underCursor(), clipboard: await vscode.env.clipboard.readText() });
  const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { url?: string }>();
  pick.title = title;
  pick.placeholder = 'https://example.com';
  pick.ignoreFocusOut = true;
  const items = offered.map(({ url, from }) => ({ label: label(url, 200), description: from, url, alwaysShow: true }));
  const show = () => {
    const typed = pick.value.trim();
    const url = typedUrl(typed);
    const typedItems = typed === '' ? [] : [typedItem(typed, url)];
    pick.items = [...typedItems, ...items.filter((item) => item.url !== url)];
  };
  show();
  pick.onDidChangeValue(show);
  try {
    return await new Promise((resolve) => {
      pick.onDidAccept(() => {
        // A URL that was pasted and accepted at once has no row yet.
        const url = pick.selectedItems[0]?.url ?? typedUrl(pick.value.trim());
        if (url) resolve(url);
      });
      pick.onDidHide(() => resolve(undefined));
      pick.show();
    });
  } finally {
    pick.dispose();
  }
}

function typedItem(typed: string, url: string | undefined): vscode.QuickPickItem & { url?: string } {
  return url
    ? { label: label(url, 200), alwaysShow: true, url }
    : { label: label(typed, 200), description: "isn't an http or https URL", alwaysShow: true };
}

function underCursor(): { line: string; character: number; selection: string } {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return { line: '', character: 0, selection: '' };
  const { selection, document } = editor;
  return {
    line: document.lineAt(selection.active.line).text.slice(0, 20_000),
    character: selection.active.character,
    selection: selection.isSingleLine ? document.getText(selection) : '',
  };
}

import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Connection } from '../../connection/connection.ts';
import { UserError } from '../../ui/commands.ts';
import { type BundledDocs, evidenceTarget } from './evidence.ts';

const restructuredName = /\.rst$/i;
const pageName = /\.html?$/i;

interface Parts {
  connection: Connection;
  docs: BundledDocs;
  /** The folder of the bundled docs. */
  folder: vscode.Uri;
}

/**
 * Opens a source of an answer at its heading: a bundled doc, a web page in the browser, or a file in a docs source of the
 * embedded service. Called only for a click.
 */
export async function openEvidence(
  { connection, docs, folder }: Parts,
  address: string,
  embedded: boolean,
): Promise<void> {
  const target = evidenceTarget(address, embedded, await docs.names());
  if (target.kind === 'bundled') return showPreview(vscode.Uri.joinPath(folder, target.file), target.anchor);
  if (target.kind === 'web') return void (await vscode.env.openExternal(vscode.Uri.parse(target.url, true)));
  if (target.kind === 'file') {
    const uri = vscode.Uri.parse(target.url, true);
    await requireSource(connection, uri);
    return showPreview(uri.with({ fragment: '', query: '' }), uri.fragment);
  }
  throw new UserError(l10n.t("This source can't be opened: it isn't on this machine and has no web address."));
}

/** Shows a file at the heading: Markdown in its preview, as source if no preview is available, and HTML in the browser. */
async function showPreview(uri: vscode.Uri, anchor: string): Promise<void> {
  // A missing file is reported as an error instead of an empty preview.
  await vscode.workspace.fs.stat(uri);
  if (restructuredName.test(uri.path)) return showSource(uri, anchor);
  if (pageName.test(uri.path)) {
    // No browser of another machine could read the file.
    if (vscode.env.remoteName !== undefined) return showSource(uri, anchor);
    return void (await vscode.env.openExternal(uri));
  }
  try {
    await vscode.commands.executeCommand('markdown.showPreview', uri.with({ fragment: anchor }));
  } catch {
    await showSource(uri, anchor);
  }
}

async function showSource(uri: vscode.Uri, anchor: string): Promise<void> {
  const [document, { headingLineOf, headingsOf }] = await Promise.all([
    vscode.workspace.openTextDocument(uri),
    import('./headings.ts'),
  ]);
  const text = document.getText();
  const line = restructuredName.test(uri.path)
    ? headingLineOf(text, anchor)
    : (headingsOf(text).find((heading) => heading.anchor === anchor)?.line ?? 0);
  const editor = await vscode.window.showTextDocument(document, { preview: true });
  editor.selection = new vscode.Selection(line, 0, line, 0);
  editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.AtTop);
}

/** Throws unless the file is one of text in a folder that was added as a docs source. */
async function requireSource(connection: Connection, uri: vscode.Uri): Promise<void> {
  const access = await connection.access();
  const { sources } = (await access.embedded?.listDocsSources()) ?? { sources: [] };
  const folders = sources.filter(({ kind }) => kind === 'folder').map(({ location }) => vscode.Uri.file(location).path);
  const inside = (folder: string) => uri.path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
  const plain =
    uri.authority === '' &&
    !uri.path.split(/[\\/]/).includes('..') &&
    /\.(?:md|mdx|markdown|rst|html?)$/i.test(uri.path);
  if (!plain || !folders.some(inside))
    throw new UserError(l10n.t("This file is no longer in a docs source and can't be opened."));
}

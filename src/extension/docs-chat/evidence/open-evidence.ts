import * as vscode from 'vscode';
import type { Connection } from '../../connection/connection.ts';
import { UserError } from '../../ui/commands.ts';
import { evidenceTarget, type OwnTexts } from './evidence.ts';

interface Parts {
  connection: Connection;
  texts: OwnTexts;
  /** Where our own texts are. */
  folder: vscode.Uri;
}

/**
 * Opens what an answer rests on, at its heading: our own text, a web page in the browser, or a file of a source of the
 * embedded service. Only ever called for a click.
 */
export async function openEvidence(
  { connection, texts, folder }: Parts,
  address: string,
  embedded: boolean,
): Promise<void> {
  const target = evidenceTarget(address, embedded, await texts.names());
  if (target.kind === 'own') return showText(vscode.Uri.joinPath(folder, target.file), target.anchor);
  if (target.kind === 'web') return void (await vscode.env.openExternal(vscode.Uri.parse(target.url, true)));
  if (target.kind === 'file') {
    const uri = vscode.Uri.parse(target.url, true);
    await requireSource(connection, uri);
    return showText(uri.with({ fragment: '', query: '' }), uri.fragment);
  }
  throw new UserError('This text is not on this machine and has no web address: it cannot be opened.');
}

/** A markdown text in its preview, at the heading; as it is written where there is no preview. */
async function showText(uri: vscode.Uri, anchor: string): Promise<void> {
  // A file that is gone is told as such, not as an empty preview.
  await vscode.workspace.fs.stat(uri);
  try {
    await vscode.commands.executeCommand('markdown.showPreview', uri.with({ fragment: anchor }));
  } catch {
    await showSource(uri, anchor);
  }
}

async function showSource(uri: vscode.Uri, anchor: string): Promise<void> {
  const [document, { headingsOf }] = await Promise.all([
    vscode.workspace.openTextDocument(uri),
    import('./headings.ts'),
  ]);
  const line = headingsOf(document.getText()).find((heading) => heading.anchor === anchor)?.line ?? 0;
  const editor = await vscode.window.showTextDocument(document, { preview: true });
  editor.selection = new vscode.Selection(line, 0, line, 0);
  editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.AtTop);
}

/** Whatever an answer names: a file is opened only if it lies in a folder that was added as a source. */
async function requireSource(connection: Connection, uri: vscode.Uri): Promise<void> {
  const access = await connection.access();
  const { sources } = (await access.embedded?.listDocsSources()) ?? { sources: [] };
  const folders = sources.filter(({ kind }) => kind === 'folder').map(({ location }) => vscode.Uri.file(location).path);
  const inside = (folder: string) => uri.path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
  const plain = uri.authority === '' && !uri.path.split('/').includes('..') && /\.(?:md|mdx|markdown)$/i.test(uri.path);
  if (!plain || !folders.some(inside))
    throw new UserError('This file is in no docs source any more: it is not opened.');
}

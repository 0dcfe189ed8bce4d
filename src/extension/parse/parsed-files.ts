import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { UserError } from '../ui/commands.ts';
import { askFolder, say } from '../ui/dialogs.ts';
import { commands } from '../ui/ids.ts';
import { label } from '../ui/text/text.ts';
import { safeFileName } from '../ui/virtual-documents/file-names.ts';
import type { VirtualDocuments } from '../ui/virtual-documents/virtual-documents.ts';

/** A file that was sent, with its Markdown or the reason why it has none. */
export interface ParsedFile {
  name: string;
  markdown?: string;
  /** What is missing from the Markdown. */
  warning?: string;
  problem?: string;
  /** The server's document, if it keeps one. */
  scrapeId?: string;
}

type FileItem = vscode.QuickPickItem & { file?: ParsedFile };

/** Shows the Markdown of one file in a preview beside it; several files as a list to open and save. */
export async function showParsed(files: readonly ParsedFile[], documents: VirtualDocuments): Promise<void> {
  const [first, ...others] = files;
  if (!first) return;
  if (others.length === 0) return await open(first, documents);
  const save: FileItem = { label: l10n.t('$(save-all) Save All as Markdown…'), alwaysShow: true };
  const items = files.map((file): FileItem => {
    const icon = file.problem === undefined ? '$(markdown)' : '$(error)';
    const note = file.problem ?? file.warning;
    return { label: `${icon} ${label(file.name, 80)}`, ...(note !== undefined && { detail: label(note, 200) }), file };
  });
  const readable = files.filter(({ markdown }) => markdown !== undefined);
  const choice = await vscode.window.showQuickPick<FileItem>(readable.length > 0 ? [...items, save] : items, {
    title: l10n.t('{0} of {1} files parsed', readable.length, files.length),
    placeHolder: l10n.t('Open a file as Markdown'),
  });
  if (choice === save) await saveAll(readable);
  else if (choice?.file?.problem !== undefined) throw new UserError(`${choice.file.name}: ${choice.file.problem}`);
  else if (choice?.file) await open(choice.file, documents);
}

async function open(
  { name, markdown = '', warning, scrapeId }: ParsedFile,
  documents: VirtualDocuments,
): Promise<void> {
  if (scrapeId !== undefined) {
    await vscode.commands.executeCommand(commands.openPage, { scrapeId, url: name, beside: true });
  } else {
    const uri = documents.hold(`parsed/${safeFileName(name)}.md`, markdown);
    await vscode.commands.executeCommand('markdown.showPreviewToSide', uri);
  }
  if (warning !== undefined) say(`$(warning) ${label(warning, 120)}`, 10_000);
}

/** Writes a Markdown file for each file to a folder. Existing files aren't overwritten: the new ones get a number. */
async function saveAll(files: readonly ParsedFile[]): Promise<void> {
  const folder = await askFolder(l10n.t('Save Markdown files'), l10n.t('Save'));
  if (!folder) return;
  const taken = new Set((await vscode.workspace.fs.readDirectory(folder)).map(([name]) => name.toLowerCase()));
  for (const { name, markdown = '' } of files) {
    const base = safeFileName(name);
    let file = `${base}.md`;
    for (let number = 2; taken.has(file.toLowerCase()); number++) file = `${base}-${number}.md`;
    taken.add(file.toLowerCase());
    await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder, file), Buffer.from(markdown));
  }
  say(l10n.t('$(check) {0} Markdown files saved', files.length));
}

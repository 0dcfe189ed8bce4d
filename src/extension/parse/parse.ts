import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { limits } from '../../contract/limits.ts';
import type { Connection, FeatureParts } from '../connection/connection.ts';
import { registerCommand, UserError } from '../ui/commands.ts';
import { askFolder, cancellable, say } from '../ui/dialogs.ts';
import { commands } from '../ui/ids.ts';
import { label, messageOf } from '../ui/text/text.ts';
import { withoutCommands } from '../ui/text/visible-text.ts';
import { safeFileName } from '../ui/virtual-documents/file-names.ts';
import type { VirtualDocuments } from '../ui/virtual-documents/virtual-documents.ts';

/** How many files are sent at a time. */
const filesAtATime = 3;
const extensions = 'pdf docx docm xlsx xlsm pptx pptm odt ods odp rtf epub csv tsv eml html htm'.split(' ');

/** Registers the command that turns files into Markdown. */
export function registerParse({ connection, documents, log }: FeatureParts): vscode.Disposable {
  return registerCommand<[file?: vscode.Uri, files?: vscode.Uri[]]>(commands.parseFiles, log, async (file, all) => {
    const files = all && all.length > 0 ? all : file ? [file] : await choose();
    if (!files || files.length === 0) return;
    const [first] = files;
    const title =
      files.length === 1 && first
        ? l10n.t('Web Data: Reading {0}…', label(nameOf(first), 60))
        : l10n.t('Web Data: Reading {0} files…', files.length);
    const parsed = await cancellable(title, (signal) => parseAll(connection, files, signal, log));
    await showParsed(parsed, documents);
  });
}

async function choose(): Promise<vscode.Uri[] | undefined> {
  return await vscode.window.showOpenDialog({
    canSelectMany: true,
    title: l10n.t('Parse to Markdown'),
    openLabel: l10n.t('Parse'),
    filters: { [l10n.t('Documents')]: extensions },
  });
}

/** Parses the files, a few at a time. A file that fails doesn't keep the others from being parsed. */
async function parseAll(
  connection: Connection,
  files: readonly vscode.Uri[],
  signal: AbortSignal,
  log: vscode.LogOutputChannel,
): Promise<ParsedFile[]> {
  const results: ParsedFile[] = [];
  const waiting = files.entries();
  const work = async () => {
    for (const [index, uri] of waiting) {
      signal.throwIfAborted();
      try {
        results[index] = { name: nameOf(uri), ...(await parse(connection, uri, signal)) };
      } catch (error) {
        signal.throwIfAborted();
        if (files.length === 1) throw error;
        log.warn(`${nameOf(uri)}: ${messageOf(error)}`);
        results[index] = { name: nameOf(uri), problem: messageOf(error) };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(filesAtATime, files.length) }, work));
  return results;
}

async function parse(connection: Connection, uri: vscode.Uri, signal: AbortSignal): Promise<Omit<ParsedFile, 'name'>> {
  const { size } = await vscode.workspace.fs.stat(uri);
  if (size > limits.parsedFile) {
    throw new UserError(l10n.t('The file is too large: the limit is {0} MiB.', limits.parsedFile / 1024 / 1024));
  }
  const content = await vscode.workspace.fs.readFile(uri);
  const { client } = await connection.access();
  const file = { name: nameOf(uri), contentType: undefined, content };
  const { data } = await client.parseFile({ body: {}, file }, { signal });
  return {
    markdown: data.markdown ?? '',
    ...(data.warning && { warning: data.warning }),
    ...(data.metadata?.scrapeId && { scrapeId: data.metadata.scrapeId }),
  };
}

function nameOf(uri: vscode.Uri): string {
  return uri.path.slice(uri.path.lastIndexOf('/') + 1);
}

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
    await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder, file), Buffer.from(withoutCommands(markdown)));
  }
  say(l10n.t('$(check) {0} Markdown files saved', files.length));
}

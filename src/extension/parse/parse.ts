import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Connection } from '../connection/connection.ts';
import type { FeatureParts } from '../connection/feature-parts.ts';
import { registerCommand, UserError } from '../ui/commands.ts';
import { commands } from '../ui/ids.ts';
import { cancellable } from '../ui/progress.ts';
import { label, messageOf } from '../ui/text/text.ts';
import { type ParsedFile, showParsed } from './parsed-files.ts';

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
  const { limits } = await import('../../contract/limits.ts');
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

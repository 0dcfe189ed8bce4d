import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { FromViewer, LiveChooser, ToViewer } from '../../contract/sessions/live-view.ts';
import { fileLimits } from '../../contract/sessions/live-view-wire.ts';
import { saveFolder } from '../ui/dialogs.ts';
import { messageOf } from '../ui/text/text.ts';

/** Bytes from which it is shown how much of the files has been sent. */
const showProgressFrom = 2 * 1024 * 1024;

/** Pieces of files that may wait to be sent: as many as all files can have. */
const maxPieces = 100 + Math.ceil(fileLimits.total / fileLimits.piece);

interface ChosenFile {
  uri: vscode.Uri;
  name: string;
  size: number;
  bytes?: Promise<Uint8Array>;
}

/**
 * Answers the file choosers of pages with VS Code's own dialog. Files are read where the workspace is, and only if the service
 * asks for them. Returns what handles a message of the service, and returns whether it is about files.
 */
export function answerFiles(options: {
  send(message: FromViewer): void;
  /** Resolves when the bytes have left, or can't be sent. */
  sendBytes(bytes: Uint8Array): Promise<void>;
  showNotice(text: string): void;
}): (message: ToViewer) => boolean {
  const { send, sendBytes, showNotice } = options;
  let files: readonly ChosenFile[] = [];
  /** Pieces are sent in the order in which they were asked for. */
  let sending: Promise<void> = Promise.resolve();
  let waiting = 0;
  async function ask({ id, multiple, accept }: LiveChooser): Promise<void> {
    const filters = fileFilters(accept);
    const chosen = await vscode.window.showOpenDialog({
      title: multiple ? l10n.t('Choose Files for the Page') : l10n.t('Choose a File for the Page'),
      canSelectMany: multiple,
      defaultUri: saveFolder(),
      ...(filters && { filters }),
    });
    try {
      files = await Promise.all((chosen ?? []).slice(0, 100).map(describe));
    } catch (error) {
      files = [];
      showProblem(error);
    }
    const named = files.map(({ name, size }) => ({ name, mediaType: mediaTypeOf(name), size }));
    send({ type: 'files', chooser: id, files: named });
  }
  function sendPiece({ file: index, start, end }: Extract<ToViewer, { type: 'send-file' }>): void {
    const file = files[index];
    if (!file || waiting >= maxPieces || end - start > fileLimits.piece) return;
    waiting++;
    file.bytes ??= Promise.resolve(vscode.workspace.fs.readFile(file.uri));
    const { bytes } = file;
    sending = sending.then(async () => {
      try {
        const piece = (await bytes).subarray(start, end);
        if (piece.byteLength !== end - start) throw new Error(l10n.t('it has changed in the meantime'));
        await sendBytes(piece);
        showProgress(index, end);
      } catch (error) {
        showProblem(error);
      }
      waiting--;
    });
  }
  function showProgress(index: number, end: number): void {
    const total = files.reduce((sum, { size }) => sum + size, 0);
    if (total < showProgressFrom) return;
    const sent = files.slice(0, index).reduce((sum, { size }) => sum + size, end);
    if (sent === total) showNotice('');
    else showNotice(l10n.t('Sending files to the page: {0}%', Math.floor((sent / total) * 100)));
  }
  const showProblem = (error: unknown) => showNotice(l10n.t("The file couldn't be read: {0}.", messageOf(error)));
  return (message) => {
    if (message.type === 'chooser') void ask(message.chooser);
    else if (message.type === 'send-file') sendPiece(message);
    else return false;
    return true;
  };
}

async function describe(uri: vscode.Uri): Promise<ChosenFile> {
  const { size } = await vscode.workspace.fs.stat(uri);
  return { uri, name: (uri.path.split('/').at(-1) ?? '').slice(-255), size };
}

const mediaTypes: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  gif: 'image/gif',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  webm: 'video/webm',
  webp: 'image/webp',
  xml: 'text/xml',
  zip: 'application/zip',
};

/** Returns the type that browsers give a file of this name, which many pages check; empty if it isn't a common one. */
export function mediaTypeOf(name: string): string {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return (Object.hasOwn(mediaTypes, extension) && mediaTypes[extension]) || '';
}

/** Returns the filters of a dialog for the `accept` of a file field; undefined if all files are offered. */
export function fileFilters(accept: string): Record<string, string[]> | undefined {
  const wanted = accept
    .split(',')
    .map((each) => each.trim().toLowerCase())
    .filter((each) => each !== '');
  const extensions = wanted.flatMap((each) => {
    if (each.startsWith('.')) return [each.slice(1)];
    const kind = each.endsWith('/*') ? each.slice(0, -1) : undefined;
    return Object.keys(mediaTypes).filter((extension) => {
      const type = mediaTypes[extension] ?? '';
      return kind === undefined ? type === each : type.startsWith(kind);
    });
  });
  if (extensions.length === 0) return undefined;
  return { [l10n.t('Files for the Page')]: [...new Set(extensions)], [l10n.t('All Files')]: ['*'] };
}

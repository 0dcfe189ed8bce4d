import { basename } from 'node:path';
import type { ReadableStream } from 'node:stream/web';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { downloadUrl } from '../../contract/sessions/live-view-wire.ts';
import type { SavedFrame } from '../../webviews/live-view/messages.ts';
import { inBackground, UserError } from '../ui/commands.ts';
import { askFile, askFolder, offer, withNotification } from '../ui/dialogs.ts';
import { newFile, writePrivately } from '../ui/new-file.ts';
import { label } from '../ui/text/text.ts';
import { safeFileName } from '../ui/virtual-documents/file-names.ts';
import type { ViewSource } from './view-source.ts';

/** Asks where to save a file, writes it and offers to open it. Of others on the machine, nobody can read one that is private. */
export async function saveFile(
  bytes: ArrayBuffer,
  options: {
    name: string;
    extension: string;
    isPrivate?: boolean;
    texts: { title: string; filter: string; saved: string };
  },
  log: vscode.LogOutputChannel,
): Promise<void> {
  const { name, extension, isPrivate, texts } = options;
  const uri = await askFile(texts.title, `${name}.${extension}`, { [texts.filter]: [extension] });
  if (!uri) return;
  const content = new Uint8Array(bytes);
  if (isPrivate) await writePrivately(uri, content);
  else await vscode.workspace.fs.writeFile(uri, content);
  offerToOpen(texts.saved, uri, log);
}

/** Writes the frames of a recording and their times into a new folder, for when no video can be encoded. */
export async function saveFrames(
  frames: readonly SavedFrame[],
  name: string,
  log: vscode.LogOutputChannel,
): Promise<void> {
  const title = l10n.t("Save Recording: video can't be encoded here. Choose where to create a folder of images");
  const location = await askFolder(title, l10n.t('Save Here'));
  if (!location) return;
  const folder = vscode.Uri.joinPath(location, name);
  await vscode.workspace.fs.createDirectory(folder);
  for (const { file, jpeg } of frameFiles(frames)) {
    await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder, file), new Uint8Array(jpeg));
  }
  const times = frameFiles(frames).map(({ file, at, ms }) => ({ file, at: new Date(at).toISOString(), ms }));
  const text = `${JSON.stringify(times, undefined, 2)}\n`;
  await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder, 'times.json'), Buffer.from(text));
  offerToOpen(l10n.t('Web Data: {0} images saved.', frames.length), vscode.Uri.joinPath(folder, 'times.json'), log);
}

/** Returns the name for a file saved from a session: `live-shop-2026-11-21-14-05-09`. */
export function saveName(session: string, now: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join('-');
  const time = [two(now.getHours()), two(now.getMinutes()), two(now.getSeconds())].join('-');
  return safeFileName('live', session, `${day}-${time}`);
}

function frameFiles(frames: readonly SavedFrame[]): (SavedFrame & { file: string; ms: number })[] {
  const [first] = frames;
  return frames.map((frame, index) => {
    const ms = Math.round(frame.at - (first?.at ?? 0));
    return { ...frame, ms, file: `${String(index + 1).padStart(5, '0')}-${ms}ms.jpg` };
  });
}

function offerToOpen(text: string, uri: vscode.Uri, log: vscode.LogOutputChannel): void {
  const open = () => vscode.commands.executeCommand('vscode.open', uri);
  inBackground('live view: open', offer(text, l10n.t('Open'), open), log);
}

/** Asks where to save the file of a download of a session, and writes it there as it arrives. */
export async function saveDownload(
  source: ViewSource | undefined,
  { id, name }: { id: string; name: string },
): Promise<void> {
  const control = source?.kind === 'frames' ? source.control : undefined;
  if (!control) throw new UserError(l10n.t('Downloads can only be saved with the right to control the session.'));
  const file = basename(name.replaceAll('\\', '/')) || 'download';
  const uri = await askFile(l10n.t('Save Download'), file);
  if (!uri) return;
  await withNotification(l10n.t('Saving {0}…', label(file)), async (signal) => {
    try {
      const response = await fetch(downloadUrl(control, id), { signal });
      if (!response.ok || !response.body) throw new UserError(l10n.t('{0} has been deleted.', label(file)));
      if (uri.scheme === 'file') await writeAsItArrives(response.body as ReadableStream<Uint8Array>, uri.fsPath);
      else await vscode.workspace.fs.writeFile(uri, new Uint8Array(await response.arrayBuffer()));
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  });
}

/** A file of that name is replaced only by all of the new one. */
async function writeAsItArrives(body: ReadableStream<Uint8Array>, path: string): Promise<void> {
  const { file, finish, discard } = await newFile(path);
  try {
    for await (const chunk of body) await file.writeFile(chunk);
    await finish();
  } catch (error) {
    await discard();
    throw error;
  }
}

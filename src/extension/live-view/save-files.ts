import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { SavedFrame } from '../../webviews/live-view/messages.ts';
import { askFile, askFolder, offer } from '../ui/dialogs.ts';
import { safeFileName } from '../ui/virtual-documents/file-names.ts';

/** Asks where to save a file, writes it and offers to open it. */
export async function saveFile(
  bytes: ArrayBuffer,
  options: { name: string; extension: string; texts: { title: string; filter: string; saved: string } },
): Promise<void> {
  const { name, extension, texts } = options;
  const uri = await askFile(texts.title, `${name}.${extension}`, { [texts.filter]: [extension] });
  if (!uri) return;
  await vscode.workspace.fs.writeFile(uri, new Uint8Array(bytes));
  void offerToOpen(texts.saved, uri);
}

/** Writes the frames of a recording and their times into a new folder, for when no video can be encoded. */
export async function saveFrames(frames: readonly SavedFrame[], name: string): Promise<void> {
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
  void offerToOpen(l10n.t('Web Data: {0} images saved.', frames.length), vscode.Uri.joinPath(folder, 'times.json'));
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

async function offerToOpen(text: string, uri: vscode.Uri): Promise<void> {
  await offer(text, l10n.t('Open'), async () => await vscode.commands.executeCommand('vscode.open', uri));
}

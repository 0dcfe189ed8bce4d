import * as vscode from 'vscode';
import type { RecordedPicture } from '../../webviews/live-view/messages.ts';
import { safeFileName } from '../ui/file-names.ts';

/** Asks where to, writes it, and offers to open it. */
export async function saveFile(
  bytes: ArrayBuffer,
  options: { name: string; ending: string; kind: string },
): Promise<void> {
  const uri = await vscode.window.showSaveDialog({
    title: `Save ${options.kind}`,
    defaultUri: placeFor(`${options.name}.${options.ending}`),
    filters: { [options.kind]: [options.ending] },
  });
  if (!uri) return;
  await vscode.workspace.fs.writeFile(uri, new Uint8Array(bytes));
  void offerToOpen(`${options.kind} saved.`, uri);
}

/** Writes the pictures of a recording into a new folder, with their times, where no video could be made. */
export async function savePictures(pictures: readonly RecordedPicture[], name: string): Promise<void> {
  const parent = await vscode.window.showOpenDialog({
    title: 'Save Recording: no video can be written here; choose where a folder of pictures goes',
    canSelectFolders: true,
    canSelectFiles: false,
    defaultUri: placeFor(''),
    openLabel: 'Save Here',
  });
  const [place] = parent ?? [];
  if (!place) return;
  const folder = vscode.Uri.joinPath(place, name);
  await vscode.workspace.fs.createDirectory(folder);
  for (const { file, jpeg } of pictureFiles(pictures)) {
    await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder, file), new Uint8Array(jpeg));
  }
  const times = pictureFiles(pictures).map(({ file, at, ms }) => ({ file, at: new Date(at).toISOString(), ms }));
  const text = `${JSON.stringify(times, undefined, 2)}\n`;
  await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder, 'times.json'), Buffer.from(text));
  void offerToOpen(`${pictures.length} pictures saved.`, vscode.Uri.joinPath(folder, 'times.json'));
}

/** A name for what is saved of a session: `live-shop-2026-11-21-14-05-09`. */
export function saveName(session: string, now: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join('-');
  const time = [two(now.getHours()), two(now.getMinutes()), two(now.getSeconds())].join('-');
  return safeFileName('live', session, `${day}-${time}`);
}

function pictureFiles(pictures: readonly RecordedPicture[]): (RecordedPicture & { file: string; ms: number })[] {
  const [first] = pictures;
  return pictures.map((picture, index) => {
    const ms = Math.round(picture.at - (first?.at ?? 0));
    return { ...picture, ms, file: `${String(index + 1).padStart(5, '0')}-${ms}ms.jpg` };
  });
}

function placeFor(file: string): vscode.Uri {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  return folder ? vscode.Uri.joinPath(folder.uri, file) : vscode.Uri.file(`/${file}`);
}

async function offerToOpen(text: string, uri: vscode.Uri): Promise<void> {
  const open = 'Open';
  if ((await vscode.window.showInformationMessage(`Web Data: ${text}`, open)) === open) {
    await vscode.commands.executeCommand('vscode.open', uri);
  }
}

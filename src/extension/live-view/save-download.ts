import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { downloadUrl } from '../../contract/sessions/live-view-wire.ts';
import { UserError } from '../ui/commands.ts';
import { askFile } from '../ui/dialogs.ts';
import { untilCancelled } from '../ui/progress.ts';
import { label } from '../ui/text/text.ts';

/** Asks where to save the file of a download, and writes it there as it arrives. @param control URL of the live view to control the session */
export async function saveDownload(
  control: URL | undefined,
  { id, name }: { id: string; name: string },
): Promise<void> {
  if (!control) throw new UserError(l10n.t('Downloads can only be saved with the right to control the session.'));
  const file = basename(name.replaceAll('\\', '/')) || 'download';
  const uri = await askFile(l10n.t('Save Download'), file);
  if (!uri) return;
  const progress = {
    location: vscode.ProgressLocation.Notification,
    title: l10n.t('Saving {0}…', label(file)),
    cancellable: true,
  };
  const save = async (signal: AbortSignal) => {
    try {
      const response = await fetch(downloadUrl(control, id), { signal });
      if (!response.ok || !response.body) throw new UserError(l10n.t('{0} has been deleted.', label(file)));
      if (uri.scheme === 'file') await writeAsItArrives(response.body as ReadableStream, uri.fsPath, signal);
      else await vscode.workspace.fs.writeFile(uri, new Uint8Array(await response.arrayBuffer()));
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
  await vscode.window.withProgress(progress, (_progress, token) => untilCancelled(token, save));
}

/** A file of that name is replaced only by all of the new one. */
async function writeAsItArrives(body: ReadableStream, path: string, signal: AbortSignal): Promise<void> {
  const part = `${path}.part`;
  try {
    await pipeline(Readable.fromWeb(body), createWriteStream(part), { signal });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

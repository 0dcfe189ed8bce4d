import { randomUUID } from 'node:crypto';
import { type FileHandle, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { UserError } from './commands.ts';
import { label } from './text/text.ts';

/** A file that appears only when it is complete. */
export interface NewFile {
  file: FileHandle;
  /** Gives it its name, in place of a file that has it. */
  finish(): Promise<void>;
  discard(): Promise<void>;
}

/** Creates a file that gets its path when it is complete. Its name until then is new: it takes the place of no other file. */
export async function newFile(path: string, mode = 0o666): Promise<NewFile> {
  const draft = join(dirname(path), `.${randomUUID()}.part`);
  const file = await open(draft, 'wx', mode).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT')
      throw new UserError(
        l10n.t("The folder {0} doesn't exist. Create it, or choose another one.", label(dirname(path), 200)),
      );
    error.message = error.message.replace(draft, () => path);
    throw error;
  });
  return {
    file,
    finish: async () => {
      await file.close();
      await rename(draft, path);
    },
    discard: async () => {
      await file.close().catch(() => undefined);
      await rm(draft, { force: true });
    },
  };
}

/** Writes a file that only the user can read, such as one with logins, or the file that a link of that name leads to. */
export async function writePrivately(uri: vscode.Uri, bytes: Uint8Array): Promise<void> {
  if (uri.scheme !== 'file') return await vscode.workspace.fs.writeFile(uri, bytes);
  const created = await newFile(await realpath(uri.fsPath).catch(() => uri.fsPath), 0o600);
  try {
    await created.file.writeFile(bytes);
    await created.finish();
  } catch (error) {
    await created.discard();
    throw error;
  }
}

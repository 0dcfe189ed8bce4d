import { constants } from 'node:fs';
import { lstat, mkdir, open, realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { newFile } from '../../ui/new-file.ts';
import { label } from '../../ui/text/text.ts';

/**
 * Returns a function that writes files below a folder, never where a link in it leads out of it. Local files are written
 * directly, which is faster.
 */
export function folderTarget(folder: vscode.Uri): (file: string, text: string) => Promise<void> {
  const created = new Map<string, Promise<unknown>>();
  return async (file, text) => {
    const uri = vscode.Uri.joinPath(folder, ...file.split('/'));
    if (uri.scheme !== 'file') return await vscode.workspace.fs.writeFile(uri, Buffer.from(text));
    await createFolder(dirname(file));
    const written = await open(uri.fsPath, writing).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ELOOP' ? isLink(file) : error;
    });
    try {
      await written.writeFile(text);
    } finally {
      await written.close();
    }
  };

  /** Creates a folder below that one, once. */
  function createFolder(path: string): Promise<unknown> {
    const creating = created.get(path) ?? createIn(path);
    created.set(path, creating);
    return creating;
  }

  async function createIn(path: string): Promise<void> {
    if (path === '.') return void (await mkdir(folder.fsPath, { recursive: true }));
    await createFolder(dirname(path));
    const whole = join(folder.fsPath, path);
    await mkdir(whole).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    if (!(await lstat(whole)).isSymbolicLink()) return;
    const [top, led] = await Promise.all([realpath(folder.fsPath), realpath(whole).catch(() => undefined)]);
    if (led === undefined || !`${led}${sep}`.startsWith(top.endsWith(sep) ? top : `${top}${sep}`)) throw isLink(path);
  }
}

/** Replaces the content of a file, but not of one that a link leads to. */
const writing = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);

function isLink(path: string): Error {
  return new Error(
    l10n.t(
      '{0} in that folder is a symbolic link, so nothing was written there. Remove the link, or choose another folder.',
      label(path, 200),
    ),
  );
}

/** A text file that appears only when it is complete. */
export interface TextTarget {
  write(text: string): Promise<void>;
  /** Replaces the file by what was written. */
  finish(): Promise<void>;
  /** Removes what was written. */
  discard(): Promise<void>;
}

export async function textTarget(uri: vscode.Uri): Promise<TextTarget> {
  if (uri.scheme !== 'file') return memoryTarget(uri);
  const { file, finish, discard } = await newFile(uri.fsPath);
  return {
    write: async (text) => {
      await file.writeFile(text);
    },
    finish,
    discard,
  };
}

function memoryTarget(uri: vscode.Uri): TextTarget {
  const parts: string[] = [];
  return {
    write: async (text) => {
      parts.push(text);
    },
    finish: async () => await vscode.workspace.fs.writeFile(uri, Buffer.from(parts.join(''))),
    discard: async () => undefined,
  };
}

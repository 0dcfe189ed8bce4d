import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as vscode from 'vscode';

/** Returns a function that writes files below a folder. Local files are written directly, which is faster. */
export function folderTarget(folder: vscode.Uri): (file: string, text: string) => Promise<void> {
  const created = new Map<string, Promise<unknown>>();
  return async (file, text) => {
    const uri = vscode.Uri.joinPath(folder, ...file.split('/'));
    if (uri.scheme !== 'file') return await vscode.workspace.fs.writeFile(uri, Buffer.from(text));
    const parent = dirname(uri.fsPath);
    let creating = created.get(parent);
    if (!creating) {
      creating = mkdir(parent, { recursive: true });
      created.set(parent, creating);
    }
    await creating;
    await writeFile(uri.fsPath, text);
  };
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
  const partial = `${uri.fsPath}.partial`;
  const file = await open(partial, 'w');
  return {
    write: async (text) => {
      await file.writeFile(text);
    },
    finish: async () => {
      await file.close();
      await rename(partial, uri.fsPath);
    },
    discard: async () => {
      await file.close();
      await rm(partial, { force: true });
    },
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

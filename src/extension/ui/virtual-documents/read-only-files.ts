import * as vscode from 'vscode';
import type { Disposable } from '../lifecycle.ts';
import { StandIn, takeOver } from '../stand-ins/stand-ins.ts';

/** Computes the files of a read-only file system. */
export type FileSource = Pick<vscode.FileSystemProvider, 'stat' | 'readFile'>;

/** Registers a read-only file system whose files a feature computes. The first request for a file loads the feature. */
export function standInForFiles(scheme: string, load: () => Promise<void>): Disposable {
  const standIn = new StandIn<FileSource>(scheme, load);
  const registration = registerFiles(scheme, {
    stat: async (uri) => await (await standIn.part()).stat(uri),
    readFile: async (uri) => await (await standIn.part()).readFile(uri),
  });
  return vscode.Disposable.from(standIn, registration);
}

/** Provides the files of a read-only file system. */
export function provideFiles(scheme: string, source: FileSource): Disposable {
  return takeOver(scheme, source, () => registerFiles(scheme, source));
}

function registerFiles(scheme: string, source: FileSource): Disposable {
  const never = (uri: vscode.Uri): never => {
    throw vscode.FileSystemError.NoPermissions(uri);
  };
  const neverChanges = () => new vscode.Disposable(() => undefined);
  const provider: vscode.FileSystemProvider = {
    onDidChangeFile: neverChanges,
    watch: neverChanges,
    stat: (uri) => source.stat(uri),
    readFile: (uri) => source.readFile(uri),
    readDirectory: () => [],
    createDirectory: never,
    writeFile: never,
    delete: never,
    rename: never,
  };
  return vscode.workspace.registerFileSystemProvider(scheme, provider, { isCaseSensitive: true, isReadonly: true });
}

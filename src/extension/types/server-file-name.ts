import type * as vscode from 'vscode';

type FileUri = Pick<vscode.Uri, 'scheme' | 'authority' | 'path' | 'fsPath'>;

/** Returns the name that the TypeScript server has for a document: a path, or a made-up one for a buffer without a file. */
export function serverFileName({ scheme, authority, path, fsPath }: FileUri): string {
  if (scheme === 'file') return fsPath;
  return `^/${scheme}/${authority || 'ts-nul-authority'}/${path.replace(/^\//, '')}`;
}

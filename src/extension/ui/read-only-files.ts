import * as vscode from 'vscode';

/** A read-only file system whose files a feature computes. */
export abstract class ReadOnlyFiles implements vscode.FileSystemProvider, vscode.Disposable {
  #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  #registration: vscode.Disposable;
  readonly onDidChangeFile = this.#changed.event;

  constructor(scheme: string) {
    this.#registration = vscode.workspace.registerFileSystemProvider(scheme, this, {
      isCaseSensitive: true,
      isReadonly: true,
    });
  }

  abstract stat(uri: vscode.Uri): vscode.FileStat | Promise<vscode.FileStat>;
  abstract readFile(uri: vscode.Uri): Uint8Array | Promise<Uint8Array>;

  /** The files never change. */
  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }
}

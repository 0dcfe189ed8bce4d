import * as vscode from 'vscode';

/** URI scheme of images from results. */
export const imageScheme = 'webdata-image';

/** Images of results as read-only files in memory, so that VS Code's image editor can open them. */
export class ImageFiles implements vscode.FileSystemProvider, vscode.Disposable {
  #files = new Map<string, Uint8Array>();
  #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  #subscriptions: vscode.Disposable;
  readonly onDidChangeFile = this.#changed.event;

  constructor() {
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      vscode.workspace.registerFileSystemProvider(imageScheme, this, { isReadonly: true, isCaseSensitive: true }),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        for (const { input } of closed) this.#forget(input);
      }),
    );
  }

  /** Opens the image of a `data:` URL in VS Code's image editor. */
  async open(name: string, dataUrl: string): Promise<void> {
    const [, type = 'png', base64 = ''] = /^data:image\/(\w+);base64,(.*)$/s.exec(dataUrl) ?? [];
    const uri = vscode.Uri.from({ scheme: imageScheme, path: `/${name}.${type === 'jpeg' ? 'jpg' : type}` });
    this.#files.set(uri.path, Buffer.from(base64, 'base64'));
    await vscode.commands.executeCommand('vscode.open', uri, { preview: true });
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: this.readFile(uri).byteLength };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    const file = this.#files.get(uri.path);
    if (!file) throw vscode.FileSystemError.FileNotFound(uri);
    return file;
  }

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
    this.#subscriptions.dispose();
  }

  #forget(input: unknown): void {
    if (input instanceof vscode.TabInputCustom && input.uri.scheme === imageScheme) this.#files.delete(input.uri.path);
  }
}

import * as vscode from 'vscode';
import { imageScheme } from '../../ui/ids.ts';
import { Disposables } from '../../ui/lifecycle.ts';
import { type FileSource, provideFiles } from '../../ui/virtual-documents/read-only-files.ts';

/** Images of results as read-only files in memory, so that VS Code's image editor can open them. */
export class ImageFiles extends Disposables implements FileSource {
  #files = new Map<string, Uint8Array>();

  constructor() {
    super();
    this.add(provideFiles(imageScheme, this));
    this.add(
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

  #forget(input: unknown): void {
    if (input instanceof vscode.TabInputCustom && input.uri.scheme === imageScheme) this.#files.delete(input.uri.path);
  }
}

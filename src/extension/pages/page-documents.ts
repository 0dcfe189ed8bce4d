import * as vscode from 'vscode';
import { failureStatus } from '../connection/failures.ts';
import { pageScheme } from '../ui/ids.ts';
import { messageOf } from '../ui/text.ts';
import { parsePath } from './page-paths.ts';
import { pageText } from './page-texts.ts';
import type { PagesStore } from './pages-store.ts';

/** The read-only `webdata:` file system of pages, so that tabs, links, outline and compare work as for files. */
export class PageDocuments implements vscode.FileSystemProvider, vscode.Disposable {
  #store: PagesStore;
  #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  #registration: vscode.Disposable;
  readonly onDidChangeFile = this.#changed.event;

  constructor(store: PagesStore) {
    this.#store = store;
    this.#registration = vscode.workspace.registerFileSystemProvider(pageScheme, this, {
      isCaseSensitive: true,
      isReadonly: true,
    });
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    if (!parsePath(uri.path)) return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
    const { bytes, readAt } = await this.#read(uri);
    return { type: vscode.FileType.File, ctime: readAt, mtime: readAt, size: bytes.byteLength };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.#read(uri)).bytes;
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  watch(): vscode.Disposable {
    // A page of a job never changes.
    return new vscode.Disposable(() => undefined);
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

  async #read(uri: vscode.Uri): Promise<{ bytes: Uint8Array; readAt: number }> {
    const path = parsePath(uri.path);
    if (!path) throw vscode.FileSystemError.FileIsADirectory(uri);
    const page = await this.#store.read(path).catch((error: unknown) => {
      if (failureStatus(error) === 404) {
        throw vscode.FileSystemError.FileNotFound('This page is no longer on the server: its job expired.');
      }
      throw vscode.FileSystemError.Unavailable(messageOf(error));
    });
    const bytes =
      path.view === 'screenshot' ? screenshotBytes(page.document.screenshot) : encoded(pageText(page, path.view));
    if (!bytes) throw vscode.FileSystemError.FileNotFound(uri);
    return { bytes, readAt: page.readAt };
  }
}

/** Returns the image in a `data:` URL. */
export function screenshotBytes(screenshot: string | null | undefined): Uint8Array | undefined {
  const [, base64] = /^data:image\/[a-z]+;base64,(.+)$/s.exec(screenshot ?? '') ?? [];
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64');
}

function encoded(text: string | undefined): Uint8Array | undefined {
  return text === undefined ? undefined : Buffer.from(text);
}

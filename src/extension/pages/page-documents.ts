import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { failureStatus } from '../connection/failures.ts';
import { keepNewest, Signal } from '../ui/lifecycle.ts';
import { messageOf } from '../ui/text/text.ts';
import type { FileSource } from '../ui/virtual-documents/read-only-files.ts';
import { type PagePath, type PageView, parsePath } from './page-paths.ts';
import { pageText } from './page-texts.ts';
import type { PagesStore, ReadPage } from './pages-store.ts';

/** Names of documents that are kept. */
const maxNamed = 200;

/** The read-only `webdata:` file system of pages, so that tabs, links, outline and compare work as for files. */
export class PageDocuments implements FileSource {
  readonly onRead = new Signal();
  #store: PagesStore;
  /** The documents that were read last, by the names of their files, and their paths; none of a name that several have. */
  #named = new Map<string, { path: string; page: PagePath | undefined }>();

  constructor(store: PagesStore) {
    this.#store = store;
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    if (!parsePath(uri.path)) return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
    const { bytes, page } = await this.#read(uri);
    return { type: vscode.FileType.File, ctime: page.readAt, mtime: page.readAt, size: bytes.byteLength };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const { bytes, path, page } = await this.#read(uri);
    if (path.view !== 'markdown') return bytes;
    const name = uri.path.slice(uri.path.lastIndexOf('/') + 1);
    const known = this.#named.get(name);
    this.#named.delete(name);
    this.#named.set(name, { path: uri.path, page: known && known.path !== uri.path ? undefined : path });
    keepNewest(this.#named, maxNamed);
    this.onRead.fire();
    await this.#store.readLinks(path, page);
    return bytes;
  }

  /** Returns the page whose Markdown the preview with this title shows; undefined if pages share the title. */
  named(title: string): PagePath | undefined {
    const names = [...this.#named.keys()].filter((name) => title === name || title.endsWith(` ${name}`));
    const [longest] = names.sort((one, other) => other.length - one.length);
    return longest === undefined ? undefined : this.#named.get(longest)?.page;
  }

  async #read(uri: vscode.Uri): Promise<{ bytes: Uint8Array; path: PagePath; page: ReadPage }> {
    const path = parsePath(uri.path);
    if (!path) throw vscode.FileSystemError.FileIsADirectory(uri);
    const page = await this.#store.read(path).catch((error: unknown) => {
      if (failureStatus(error) === 404) {
        throw vscode.FileSystemError.FileNotFound(
          l10n.t('This page is no longer on the server: its job expired. Crawl or scrape it again.'),
        );
      }
      throw vscode.FileSystemError.Unavailable(messageOf(error));
    });
    const bytes = bytesOf(page, path.view);
    if (!bytes) throw vscode.FileSystemError.FileNotFound(uri);
    return { bytes, path, page };
  }
}

/** Returns the content of a document of a page; undefined if the page has no such part. */
export function bytesOf(page: ReadPage, view: PageView): Uint8Array | undefined {
  if (view === 'screenshot') return screenshotBytes(page.document.screenshot);
  const text = pageText(page, view);
  return text === undefined ? undefined : Buffer.from(text);
}

/** Returns the image in a `data:` URL. */
function screenshotBytes(screenshot: string | null | undefined): Uint8Array | undefined {
  const [, base64] = /^data:image\/[a-z]+;base64,(.+)$/s.exec(screenshot ?? '') ?? [];
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64');
}

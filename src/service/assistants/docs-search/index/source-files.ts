import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { addPage } from './markdown.ts';
import { type Corpus, emptyCorpus } from './passages.ts';

const markdownName = /\.(?:md|mdx|markdown)$/i;
const ignored = /^(?:\.|node_modules$)/;
const maxFileBytes = 5 * 1024 * 1024;
const maxFiles = 20_000;
const maxDepth = 30;
/** Larger sources are truncated to limit the memory of their index. */
export const mostPassages = 300_000;

/** A Markdown file of a folder. */
export interface MarkdownFile {
  path: string;
  /** Path below the folder, with slashes. */
  name: string;
  size: number;
  modifiedMs: number;
}

/** Returns the Markdown files below a folder, sorted by name, without hidden folders, node_modules and symbolic links. Rejects when the folder cannot be read. */
export async function markdownFiles(folder: string, signal?: AbortSignal): Promise<MarkdownFile[]> {
  const files: MarkdownFile[] = [];
  const pending: { folder: string; depth: number }[] = [{ folder, depth: 0 }];
  for (let next = pending.shift(); next && files.length < maxFiles; next = pending.shift()) {
    signal?.throwIfAborted();
    const { depth } = next;
    const entries = await entriesOf(next.folder, depth === 0);
    for (const entry of entries) {
      if (ignored.test(entry.name)) continue;
      const path = join(next.folder, entry.name);
      if (entry.isDirectory() && depth < maxDepth) pending.push({ folder: path, depth: depth + 1 });
      if (!entry.isFile() || !markdownName.test(entry.name)) continue;
      const { size, mtimeMs } = await stat(path);
      if (size <= maxFileBytes)
        files.push({ path, name: relative(folder, path).split(sep).join('/'), size, modifiedMs: mtimeMs });
    }
  }
  return files.sort((one, other) => (one.name < other.name ? -1 : 1)).slice(0, maxFiles);
}

/** Subfolders that cannot be read are skipped. */
async function entriesOf(folder: string, required: boolean): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (required) throw error;
    return [];
  }
}

/** Returns a hash that changes when a file is added, removed or written. */
export function fingerprintOf(files: readonly MarkdownFile[]): string {
  const hash = createHash('sha256');
  for (const { name, size, modifiedMs } of files) hash.update(`${name}\0${size}\0${modifiedMs}\0`);
  return hash.digest('hex');
}

export interface ReadCorpusOptions {
  /** Returns the address that evidence has, such as the file's URL. */
  addressOf?(file: MarkdownFile): string;
  signal?: AbortSignal;
}

/** Reads files into a corpus. */
export async function readCorpus(
  files: readonly MarkdownFile[],
  { addressOf = ({ path }) => pathToFileURL(path).href, signal }: ReadCorpusOptions = {},
): Promise<Corpus> {
  const corpus = emptyCorpus();
  for (const file of files) {
    if (corpus.passages.length > mostPassages) break;
    signal?.throwIfAborted();
    const markdown = await readFile(file.path, 'utf8').catch(() => undefined);
    if (markdown !== undefined) addPage(corpus, { address: addressOf(file), anchors: true }, markdown);
  }
  return corpus;
}

import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { addPage } from './markdown.ts';
import { type Corpus, emptyCorpus } from './passages.ts';

const markdownName = /\.(?:md|mdx|markdown)$/i;
const otherName = /\.(?:rst|html?|adoc|txt)$/i;
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
  for await (const path of filesBelow(folder)) {
    signal?.throwIfAborted();
    if (!markdownName.test(path)) continue;
    const { size, mtimeMs } = await stat(path);
    if (size <= maxFileBytes)
      files.push({ path, name: relative(folder, path).split(sep).join('/'), size, modifiedMs: mtimeMs });
    if (files.length >= maxFiles) break;
  }
  return files.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Says which texts a folder has that are not read; empty when it has none. */
export async function otherTexts(folder: string): Promise<string> {
  const counts = new Map<string, number>();
  for await (const path of filesBelow(folder)) {
    const kind = otherName.exec(path)?.[0].toLowerCase();
    if (kind) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  if (counts.size === 0) return '';
  const kinds = [...counts].map(([kind, count]) => `${count} ${kind} ${count === 1 ? 'file' : 'files'}`).join(' and ');
  return `It has ${kinds}, which docs search doesn't read: convert them to Markdown, or crawl the website that they make and add the crawl.`;
}

/** Yields the paths of the files below a folder. */
async function* filesBelow(folder: string): AsyncGenerator<string> {
  const pending = [{ folder, depth: 0 }];
  for (let next = pending.shift(); next; next = pending.shift()) {
    const { depth } = next;
    for (const entry of await entriesOf(next.folder, depth === 0)) {
      if (ignored.test(entry.name)) continue;
      const path = join(next.folder, entry.name);
      if (entry.isDirectory() && depth < maxDepth) pending.push({ folder: path, depth: depth + 1 });
      if (entry.isFile()) yield path;
    }
  }
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

/** A file to read. */
export interface NewFile {
  path: string;
  /** The address that evidence has, such as the file's URL. */
  address: string;
}

/** Reads files into a corpus. */
export async function readCorpus(files: readonly NewFile[]): Promise<Corpus> {
  const corpus = emptyCorpus();
  for (const { path, address } of files) {
    if (corpus.passages.length > mostPassages) break;
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text !== undefined) addPage(corpus, { address, anchors: true }, text);
  }
  return corpus;
}

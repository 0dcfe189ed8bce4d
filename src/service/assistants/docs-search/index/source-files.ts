import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import * as markdown from './markdown.ts';
import { type Corpus, emptyCorpus } from './passages.ts';

const sourceName = /\.(?:md|mdx|markdown|rst)$/i;
const pageName = /\.html?$/i;
const otherName = /\.(?:html?|adoc|txt)$/i;
const ignored = /^(?:\.|node_modules$)/;
const maxFileBytes = 5 * 1024 * 1024;
const maxFiles = 20_000;
const maxDepth = 30;
/** Larger sources are truncated to limit the memory of their index. */
export const mostPassages = 300_000;

/** A file of a folder that is read; its name is the path below the folder, with slashes. */
export type TextFile = Awaited<ReturnType<typeof textFiles>>['files'][number];

/**
 * Returns the files of Markdown and reStructuredText below a folder, or those of HTML if there are none: HTML beside them
 * is what they were built into. They are sorted by name, without hidden folders, node_modules and symbolic links, and a
 * warning if there are texts that are not read. Rejects when the folder cannot be read.
 */
export async function textFiles(folder: string, signal?: AbortSignal) {
  const sources: { path: string; name: string; size: number; modifiedMs: number }[] = [];
  const pages: typeof sources = [];
  const others = new Map<string, number>();
  const folders = createLeftOut(folder);
  const leftOut = new Map([sources, pages].map((list) => [list, createLeftOut(folder)]));
  for await (const path of filesBelow(folder, folders.note)) {
    signal?.throwIfAborted();
    const kind = otherName.exec(path)?.[0].toLowerCase();
    if (kind) others.set(kind, (others.get(kind) ?? 0) + 1);
    const files = sourceName.test(path) ? sources : pageName.test(path) ? pages : undefined;
    if (!files) continue;
    const drop = (reason: string) => leftOut.get(files)?.note('file', reason, path);
    const found = await stat(path).catch(() => undefined);
    if (!found) drop("that can't be read");
    else if (found.size > maxFileBytes) drop(`larger than ${maxFileBytes / 1024 / 1024} MB`);
    else if (files.length >= maxFiles) drop(`after the first ${maxFiles.toLocaleString('en')}`);
    else {
      const { size, mtimeMs: modifiedMs } = found;
      files.push({ path, name: relative(folder, path).split(sep).join('/'), size, modifiedMs });
    }
  }
  const files = sources.length > 0 ? sources : pages;
  if (files === pages) for (const kind of others.keys()) if (pageName.test(kind)) others.delete(kind);
  const kinds = [...others].map(([kind, count]) => `${count} ${kind} ${count === 1 ? 'file' : 'files'}`).join(' and ');
  const unknown = `It has ${kinds}, which docs search doesn't read: convert them to Markdown, or crawl the website that they make and add the crawl.`;
  return {
    areHtml: files === pages,
    files: files.sort((one, other) => (one.name < other.name ? -1 : 1)),
    warnings: [
      ...(kinds ? [unknown] : []),
      ...[sources, ...(files === pages ? [pages] : [])].flatMap((list) => leftOut.get(list)?.warnings() ?? []),
      ...folders.warnings(),
    ],
  };
}

/** Counts what is left out of a folder, with an example for each reason. */
function createLeftOut(folder: string) {
  const reasons = new Map<string, { count: number; what: string; example: string }>();
  return {
    note(what: 'file' | 'folder', reason: string, path: string): void {
      const known = reasons.get(reason) ?? { count: 0, what, example: relative(folder, path) };
      reasons.set(reason, { ...known, count: known.count + 1 });
    },
    warnings: (): string[] =>
      [...reasons].map(
        ([reason, { count, what, example }]) =>
          `Left out: ${count} ${what}${count === 1 ? '' : 's'} ${reason}, such as ${example}.`,
      ),
  };
}

/** Yields the paths of the files below a folder. */
async function* filesBelow(
  folder: string,
  onLeftOut: (what: 'folder', reason: string, path: string) => void,
  depth = 0,
): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (depth === 0) throw error;
    onLeftOut('folder', "that can't be read", folder);
    return [];
  });
  for (const entry of entries) {
    if (ignored.test(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth < maxDepth) yield* filesBelow(path, onLeftOut, depth + 1);
    else if (entry.isDirectory()) onLeftOut('folder', `more than ${maxDepth} levels deep`, path);
    if (entry.isFile()) yield path;
  }
}

/** Returns a hash that changes when a file is added, removed or written. */
export function fingerprintOf(files: readonly TextFile[]): string {
  const hash = createHash('sha256');
  for (const { name, size, modifiedMs } of files) hash.update(`${name}\0${size}\0${modifiedMs}\0`);
  return hash.digest('hex');
}

/**
 * Reads files of Markdown and reStructuredText into a corpus; their addresses are those that evidence has, such as a file's URL.
 * @param onFailure called for a file that can't be read
 */
export async function readCorpus(
  files: readonly { path: string; address: string }[],
  onFailure: (path: string, error: unknown) => void = (_path, error) => {
    throw error;
  },
): Promise<Corpus> {
  const corpus = emptyCorpus();
  for (const { path, address } of files) {
    if (corpus.passages.length > mostPassages) break;
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (error) {
      onFailure(path, error);
      continue;
    }
    const { addPage } = /\.rst$/i.test(path) ? await import('./restructured-text.ts') : markdown;
    addPage(corpus, { address, anchors: true }, text);
  }
  return corpus;
}

import { hash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { createTurn } from '../../../platform/async.ts';
import { realPath } from '../../../platform/system/read-within.ts';
import * as markdown from './markdown.ts';
import { type Corpus, emptyCorpus, type NewPage } from './passages.ts';

const sourceName = /\.(?:md|mdx|markdown|rst)$/i;
const pageName = /\.html?$/i;
const otherName = /\.(?:html?|adoc|txt)$/i;
const ignored = /^(?:\.|node_modules$)/;
/** Larger files are not read. */
export const maxFileBytes = 5 * 1024 * 1024;
const maxFiles = 20_000;
const maxDepth = 30;
/** Entries of folders that are looked at. */
const maxEntries = 500_000;

/**
 * Returns the files of Markdown and reStructuredText below a folder, or those of HTML if there are none: HTML beside them
 * is what they were built into. They are sorted by name, the path below the folder with slashes, without hidden folders,
 * node_modules and symbolic links, and a warning if there are texts that are not read. Rejects when the folder cannot be read.
 * @param folder without symbolic links
 */
export async function textFiles(folder: string, signal?: AbortSignal, mostEntries = maxEntries) {
  const leftOut = new Map<string, { what: string; reason: string; count: number; example: string }>();
  function leaveOut(what: string, reason: string, path: string): void {
    const { count, example } = leftOut.get(what + reason) ?? { count: 0, example: relative(folder, path) };
    leftOut.set(what + reason, { what, reason, count: count + 1, example });
  }
  const paths: string[] = [];
  const [left, turn] = [{ entries: mostEntries }, createTurn()];
  for await (const path of filesBelow(folder, left, (reason, below) => leaveOut('folder', reason, below))) {
    signal?.throwIfAborted();
    if (turn.isOver) await turn.end();
    if (sourceName.test(path) || otherName.test(path)) paths.push(path);
  }
  const filesNamed = async (name: RegExp) => {
    const files: { path: string; name: string; size: number; modifiedMs: number }[] = [];
    for (const path of paths.filter((one) => name.test(one))) {
      signal?.throwIfAborted();
      const found = await lstat(path).catch(() => undefined);
      if (!found?.isFile()) leaveOut('file', "that can't be read", path);
      else if (found.size > maxFileBytes) leaveOut('file', `larger than ${maxFileBytes / 1024 / 1024} MB`, path);
      else if (files.length >= maxFiles) leaveOut('file', `after the first ${maxFiles.toLocaleString('en')}`, path);
      else {
        const { size, mtimeMs: modifiedMs } = found;
        files.push({ path, name: relative(folder, path).split(sep).join('/'), size, modifiedMs });
      }
    }
    return files.sort((one, other) => (one.name < other.name ? -1 : 1));
  };
  const sources = await filesNamed(sourceName);
  const areHtml = sources.length === 0;
  const files = areHtml ? await filesNamed(pageName) : sources;
  const others = paths.filter((path) => otherName.test(path) && !(areHtml && pageName.test(path)));
  const unread = [...Map.groupBy(others, (path) => extname(path).toLowerCase())]
    .map(([kind, { length }]) => `${length} ${kind} ${length === 1 ? 'file' : 'files'}`)
    .join(' and ');
  const unknown = `It has ${unread}, which docs search doesn't read: convert them to Markdown, or crawl the website that they make and add the crawl.`;
  const noted = [...leftOut.values()].map(
    ({ what, reason, count, example }) =>
      `Left out: ${count} ${what}${count === 1 ? '' : 's'} ${reason}, such as ${example}.`,
  );
  const most = `Only the first ${mostEntries.toLocaleString('en')} files and folders below it are looked at. Add parts of it instead.`;
  return { areHtml, files, warnings: [...(unread ? [unknown] : []), ...noted, ...(left.entries < 0 ? [most] : [])] };
}

/** Yields the paths of the files below a folder. @param left how many entries are still looked at: less than none if there are more */
async function* filesBelow(
  folder: string,
  left: { entries: number },
  onLeftOut: (reason: string, path: string) => void,
  depth = 0,
): AsyncGenerator<string> {
  const entries: Dirent[] = [];
  try {
    for await (const entry of await opendir(folder, { bufferSize: 500 })) {
      if (--left.entries < 0) break;
      if (!ignored.test(entry.name)) entries.push(entry);
    }
    if ((await realPath(folder)) !== folder) throw new Error('It is now a symbolic link.');
  } catch (error) {
    if (depth === 0) throw error;
    entries.length = 0;
    onLeftOut("that can't be read", folder);
  }
  // Sorting very many would take long; then they are in the order of the system.
  if (entries.length <= maxFiles) entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const entry of entries) {
    if (entry.isDirectory() && left.entries < 0) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth < maxDepth) yield* filesBelow(path, left, onLeftOut, depth + 1);
    else if (entry.isDirectory()) onLeftOut(`more than ${maxDepth} levels deep`, path);
    if (entry.isFile()) yield path;
  }
}

/** Returns a hash that changes when a file is added, removed or written. */
export function fingerprintOf(files: readonly { name: string; size: number; modifiedMs: number }[]): string {
  return hash('sha256', files.map(({ name, size, modifiedMs }) => `${name}\0${size}\0${modifiedMs}\0`).join(''));
}

/** Whether a page is a file that is named so. Pages of a crawl are Markdown, whatever their names. */
export const isRestructuredText = ({ anchors, address }: NewPage) => anchors && /\.rst$/i.test(address);

/** Reads a page of Markdown or reStructuredText. */
export async function readPage(page: NewPage, text: string): Promise<Corpus> {
  const { addPage } = isRestructuredText(page) ? await import('./restructured-text.ts') : markdown;
  const corpus = emptyCorpus();
  addPage(corpus, page, text);
  return corpus;
}

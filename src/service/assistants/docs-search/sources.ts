import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { basename, isAbsolute, join, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import type { DocsSource } from '../../../contract/docs-search/docs-sources.ts';
import { limits } from '../../../contract/limits.ts';
import { shorten } from '../../../contract/shorten.ts';
import type { Clock } from '../../platform/clock.ts';
import { messageOf, ServiceError } from '../../platform/errors.ts';
import type { Caller } from '../../platform/http/keys.ts';
import type { Log } from '../../platform/log.ts';
import { renameInUse } from '../../platform/system/rename.ts';
import type { DocumentsOfCrawl } from './crawl-documents.ts';
import { addPage } from './index/markdown.ts';
import { type Corpus, emptyCorpus } from './index/passages.ts';
import { buildIndex, indexVersion, loadIndex, type SearchIndex, type StoredIndex } from './index/search-index.ts';
import { fingerprintOf, type MarkdownFile, markdownFiles, mostPassages, readCorpus } from './index/source-files.ts';
import { linesOf, readLines } from './index/stored-corpus.ts';

export interface DocsSourcesOptions {
  /** The folder of the indexes. */
  directory: string;
  /** The index of the product's own texts. */
  reference(): Promise<SearchIndex | undefined>;
  /** Folders for the questions of all teams. Teams can add folders within them. */
  folders: readonly string[];
  /** Whether a window of the team lets the service read another folder. */
  isGranted(team: string, folder: string): Promise<boolean>;
  /** Without it, crawls can't be added. */
  documentsOf?: DocumentsOfCrawl;
  /** Passages of all indexes that stay in memory; the others are read again when they are needed. */
  passagesInMemory?: number;
  clock: Clock;
  log: Log;
}

/** The sources of texts that questions are answered from, each with its own index. */
export interface DocsSources {
  /** Returns the indexes for a team. */
  indexesOf(team: string): Promise<SearchIndex[]>;
  list(team: string): DocsSource[];
  /** Indexes a folder; an existing source is indexed again. Rejects with 403 when the team may not read it, with 400 when it cannot be read, with 409 when the team has too many sources. */
  addFolder(team: string, folder: string, name?: string): Promise<DocsSource>;
  /** Indexes the documents of a finished crawl. Rejects with 404, 403 or 409 when there is none, with 409 when the team has too many sources, and with 400 when it has no text. */
  addCrawl(caller: Caller, crawlId: string, name?: string): Promise<DocsSource>;
  /** Rejects with 404 when the team has no such source, with 409 when the service was started with it. */
  remove(team: string, id: string): Promise<void>;
  /** Resolves when the folders indexed at startup are done. */
  ready(): Promise<void>;
  /** Stops indexing. */
  close(): void;
}

const storedRecord = z.object({
  id: z.string().regex(/^[0-9a-f]{32}$/),
  /** Null for folders that the service was started with: they are for all teams. */
  team: z.string().nullable(),
  kind: z.enum(['folder', 'crawl']),
  name: z.string(),
  location: z.string(),
  addedAt: z.number(),
  pages: z.number(),
  passages: z.number(),
  fingerprint: z.string(),
});
type SourceRecord = z.output<typeof storedRecord>;

const listName = 'sources.json';
/** Passages of all indexes that stay in memory. */
const defaultPassagesInMemory = 100_000;

export function createDocsSources(options: DocsSourcesOptions): DocsSources {
  const { directory, clock, log, passagesInMemory = defaultPassagesInMemory } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const records = new Map(readRecords(directory).map((record) => [record.id, record]));
  const loaded = new Map<string, Promise<SearchIndex | undefined>>();
  let reference: Promise<SearchIndex | undefined> | undefined;
  let writing: Promise<void> = Promise.resolve();
  const closed = new AbortController();
  removeFoldersNoLongerGiven();
  const ready = indexFolders();

  return {
    async indexesOf(team) {
      reference ??= options.reference();
      const own = [...records.values()].filter((record) => isFor(record, team)).map(load);
      return (await Promise.all([reference, ...own])).filter((index) => index !== undefined);
    },
    list(team) {
      return [...records.values()].filter((record) => isFor(record, team)).map(toDocsSource);
    },
    async addFolder(team, folder, name) {
      if (!isAbsolute(folder)) throw new ServiceError(400, 'folder: expected an absolute path');
      requireRoom(team, resolve(folder));
      return addFolder(team, folder, name, await requireAccess(team, resolve(folder)));
    },
    async addCrawl(caller, crawlId, name) {
      if (!options.documentsOf) throw new ServiceError(404, 'Crawl not found.');
      const { team } = caller;
      requireRoom(team, crawlId);
      const { url, pages } = await options.documentsOf(caller, crawlId);
      const corpus = emptyCorpus();
      for await (const page of pages) {
        if (corpus.passages.length > mostPassages) break;
        addPage(corpus, { address: page.url, anchors: false, ...(page.title && { title: page.title }) }, page.markdown);
        await new Promise((resolve) => setImmediate(resolve));
        closed.signal.throwIfAborted();
      }
      if (corpus.passages.length === 0) throw new ServiceError(400, 'The crawl has no documents with text.');
      return save(
        { team, kind: 'crawl', location: url, key: crawlId, name: name ?? new URL(url).host, fingerprint: crawlId },
        corpus,
      );
    },
    async remove(team, id) {
      const record = records.get(id);
      if (!record || !isFor(record, team)) throw new ServiceError(404, 'Source not found.');
      if (record.team === null) {
        throw new ServiceError(
          409,
          'The service was started with this folder. To remove it, restart the service without its --docs option.',
          {
            code: 'GIVEN_AT_START',
          },
        );
      }
      await removeSource(record);
    },
    ready: () => ready,
    close: () => closed.abort(new ServiceError(503, 'The service is stopping.')),
  };

  /** Returns the folder to read, without symbolic links: what is read is what was checked, even if a link changes meanwhile. */
  async function requireAccess(team: string, path: string): Promise<string> {
    const actual = await realpath(path).catch(() => path);
    const roots = await Promise.all(options.folders.map((root) => realpath(root).catch(() => resolve(root))));
    if (roots.some((root) => isWithin(root, actual)) || (await options.isGranted(team, path))) return actual;
    throw new ServiceError(
      403,
      `The service may not read ${shorten(path)}. Start it with --docs and this folder, or add the folder in the editor with "Add Docs Source".`,
      { code: 'FOLDER_NOT_ALLOWED' },
    );
  }

  /** Throws 409 if the source is new and the team has as many as it may keep. */
  function requireRoom(team: string, key: string): void {
    if (records.has(idOf(team, key))) return;
    if ([...records.values()].filter((record) => record.team === team).length < limits.docsSources) return;
    throw new ServiceError(
      409,
      `The team already has ${limits.docsSources} docs sources. Remove one that is no longer used.`,
    );
  }

  async function addFolder(
    team: string | null,
    folder: string,
    name?: string,
    actual = resolve(folder),
  ): Promise<DocsSource> {
    const path = resolve(folder);
    const { signal } = closed;
    const files = await markdownFiles(actual, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      throw new ServiceError(400, `Could not read the folder ${shorten(path)}: ${messageOf(error)}`);
    });
    const fingerprint = fingerprintOf(files);
    const known = records.get(idOf(team, path));
    if (known?.fingerprint === fingerprint && (await load(known))) return toDocsSource(known);
    const addressOf = (file: MarkdownFile) => pathToFileURL(join(path, file.name)).href;
    const corpus = await readCorpus(files, { addressOf, signal });
    if (corpus.passages.length === 0) throw new ServiceError(400, `${shorten(path)} has no Markdown files with text.`);
    return save({ team, kind: 'folder', location: path, key: path, name: name ?? basename(path), fingerprint }, corpus);
  }

  /** Added folders may have changed since the last run; those that the service was started with may be new. */
  async function indexFolders(): Promise<void> {
    const added = [...records.values()].filter(({ kind, team }) => kind === 'folder' && team !== null);
    const given = options.folders.map((folder) => ({ team: null, location: resolve(folder), name: undefined }));
    for (const { team, location, name } of [...given, ...added]) {
      try {
        await addFolder(team, location, name);
      } catch (error) {
        if (closed.signal.aborted) return;
        log.warn({ folder: location, reason: messageOf(error) }, 'could not index a folder');
      }
    }
  }

  function removeFoldersNoLongerGiven(): void {
    const given = new Set(options.folders.map((folder) => idOf(null, resolve(folder))));
    for (const record of records.values()) {
      if (record.team !== null || given.has(record.id)) continue;
      removeSource(record).catch((error: unknown) =>
        log.warn({ folder: record.location, reason: messageOf(error) }, 'could not remove a docs source'),
      );
    }
  }

  async function save(
    source: {
      team: string | null;
      kind: SourceRecord['kind'];
      location: string;
      key: string;
      name: string;
      fingerprint: string;
    },
    corpus: Corpus,
  ): Promise<DocsSource> {
    const { key, ...rest } = source;
    const id = idOf(source.team, key);
    const index = await buildIndex(corpus);
    await replaceFile(join(directory, `${id}.json`), linesOf(corpus));
    const record = { ...rest, id, addedAt: clock.now(), pages: corpus.pages.length, passages: corpus.passages.length };
    await changeRecords((list) => list.set(id, record));
    loaded.set(id, Promise.resolve(index));
    forgetOldest();
    return toDocsSource(record);
  }

  async function removeSource({ id }: SourceRecord): Promise<void> {
    await changeRecords((list) => list.delete(id));
    loaded.delete(id);
    // The source is removed all the same, and its file is replaced when it is added again.
    await rm(join(directory, `${id}.json`), { force: true }).catch((error: unknown) =>
      log.warn({ reason: messageOf(error) }, 'the index of a removed docs source could not be deleted'),
    );
  }

  /** Changes the list and its file, one change after the other. If the file can't be written, the list stays as it was. */
  function changeRecords(change: (list: Map<string, SourceRecord>) => void): Promise<void> {
    const written = writing.then(async () => {
      const next = new Map(records);
      change(next);
      await replaceFile(join(directory, listName), JSON.stringify([...next.values()]));
      change(records);
    });
    writing = written.catch(() => undefined);
    return written;
  }

  /** The index of a source; undefined when its file is missing or of another version. */
  function load(record: SourceRecord): Promise<SearchIndex | undefined> {
    const index = loaded.get(record.id) ?? buildFrom(join(directory, `${record.id}.json`));
    // The most recently used ones are last.
    loaded.delete(record.id);
    loaded.set(record.id, index);
    // A file that couldn't be read, such as while too many are open, is read again.
    void index.then((read) => {
      if (!read && loaded.get(record.id) === index) loaded.delete(record.id);
      forgetOldest();
    });
    return index;
  }

  async function buildFrom(path: string): Promise<SearchIndex | undefined> {
    try {
      return await buildIndex(await readLines(path));
    } catch (error) {
      log.warn({ path, reason: messageOf(error) }, 'could not read an index');
      return undefined;
    }
  }

  /** Keeps the indexes that were used last in memory, as many as have no more passages than the budget, and at least one. */
  function forgetOldest(): void {
    let passages = 0;
    for (const id of [...loaded.keys()].reverse()) {
      const isFirst = passages === 0;
      passages += records.get(id)?.passages ?? 0;
      if (!isFirst && passages > passagesInMemory) loaded.delete(id);
    }
  }
}

/** Reads an index from its file. Resolves to undefined and logs a warning when that fails. */
export async function readIndex(path: string, log: Log): Promise<SearchIndex | undefined> {
  try {
    return loadIndex(JSON.parse(await readFile(path, 'utf8')) as StoredIndex);
  } catch (error) {
    log.warn({ path, reason: messageOf(error) }, 'could not read an index');
    return undefined;
  }
}

function isFor(record: SourceRecord, team: string): boolean {
  return record.team === null || record.team === team;
}

function idOf(team: string | null, key: string): string {
  return createHash('sha256')
    .update(JSON.stringify([indexVersion, team, key]))
    .digest('hex')
    .slice(0, 32);
}

function toDocsSource({ id, team, kind, name, location, addedAt, fingerprint, ...counts }: SourceRecord): DocsSource {
  const { pages, passages } = counts;
  const crawl = kind === 'crawl' && { crawlId: fingerprint };
  const added = new Date(addedAt).toISOString();
  return { id, kind, name, location, ...crawl, addedAt: added, pages, passages, removable: team !== null };
}

function readRecords(directory: string): SourceRecord[] {
  const path = join(directory, listName);
  if (!existsSync(path)) return [];
  try {
    return z.array(storedRecord).parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // A damaged list is replaced by an empty one: adding a source again takes one command.
    return [];
  }
}

function isWithin(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** Replaces a file atomically. */
async function replaceFile(path: string, content: string | Iterable<string>): Promise<void> {
  const draft = `${path}.${process.pid}.new`;
  try {
    await writeFile(draft, content, { mode: 0o600 });
    await renameInUse(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
}

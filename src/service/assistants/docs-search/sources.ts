import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
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
import { replaceFile } from '../../platform/system/rename.ts';
import type { CrawledPage, DocumentsOfCrawl } from './crawl-documents.ts';
import { indexVersion } from './index/search-index.ts';
import { fingerprintOf, markdownFiles, mostPassages, otherTexts } from './index/source-files.ts';
import { createIndexes } from './thread/indexes.ts';
import type { IndexSize, NewText, Reply } from './thread/tasks.ts';

export interface DocsSourcesOptions {
  /** The folder of the indexes. */
  directory: string;
  /** Path of the index of the product's own texts. */
  reference: string;
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
export type DocsSources = ReturnType<typeof createDocsSources>;

const storedRecord = z.object({
  id: z.string().regex(/^[0-9a-f]{32}$/),
  /** Null for folders that the service was started with: they are for all teams. */
  team: z.string().nullable(),
  kind: z.enum(['folder', 'crawl']),
  name: z.string(),
  location: z.string(),
  /** The folder that the location was, without symbolic links, when the team was allowed to read it. */
  actual: z.string().optional(),
  addedAt: z.number(),
  pages: z.number(),
  passages: z.number(),
  fingerprint: z.string(),
});
type SourceRecord = z.output<typeof storedRecord>;

const listName = 'sources.json';
/** Passages of all indexes that stay in memory. */
const defaultPassagesInMemory = 50_000;
/** Characters of a crawl that are sent to the thread at a time. */
const batchCharacters = 1_000_000;

export function createDocsSources(options: DocsSourcesOptions) {
  const { directory, clock, log, passagesInMemory = defaultPassagesInMemory } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const records = new Map(readRecords(directory, log).map((record) => [record.id, record]));
  const indexes = createIndexes(passagesInMemory);
  let writing: Promise<void> = Promise.resolve();
  const closed = new AbortController();
  removeFoldersNoLongerGiven();
  const ready = indexFolders();

  return {
    /** Searches the product's own texts and the team's sources. */
    async search(team: string, question: string): Promise<Reply> {
      const own = [...records.values()].filter((record) => isFor(record, team)).map(({ id }) => fileOf(id));
      const reply = await indexes.run<Reply>({ kind: 'ask', question, reference: options.reference, indexes: own });
      for (const { index: path, reason } of reply.unread) log.warn({ path, reason }, 'could not read an index');
      return reply;
    },
    list(team: string): DocsSource[] {
      return [...records.values()].filter((record) => isFor(record, team)).map(toDocsSource);
    },
    /** Indexes a folder; an existing source is indexed again. Rejects with 403 when the team may not read it, with 400 when it cannot be read, with 409 when the team has too many sources. */
    async addFolder(team: string, folder: string, name?: string): Promise<DocsSource> {
      if (!isAbsolute(folder)) throw new ServiceError(400, 'folder: expected an absolute path');
      requireRoom(team, resolve(folder));
      return addFolder(team, folder, name, await requireAccess(team, resolve(folder)));
    },
    /** Indexes the documents of a finished crawl. Rejects with 404, 403 or 409 when there is none, with 409 when the team has too many sources, and with 400 when it has no text. */
    async addCrawl(caller: Caller, crawlId: string, name?: string): Promise<DocsSource> {
      if (!options.documentsOf) throw new ServiceError(404, 'Crawl not found.');
      const { team } = caller;
      requireRoom(team, crawlId);
      const { url, pages } = await options.documentsOf(caller, crawlId);
      const size = await indexPages(fileOf(idOf(team, crawlId)), pages);
      if (size.passages === 0) throw new ServiceError(400, 'The crawl has no documents with text.');
      const source = { team, kind: 'crawl', location: url, key: crawlId, fingerprint: crawlId } as const;
      return save({ ...source, name: name ?? new URL(url).host }, size);
    },
    /** Rejects with 404 when the team has no such source, with 409 when the service was started with it. */
    async remove(team: string, id: string): Promise<void> {
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
    /** Resolves when the folders indexed at startup are done. */
    ready: (): Promise<void> => ready,
    /** Stops indexing. */
    close(): void {
      closed.abort(new ServiceError(503, 'The service is stopping.'));
      indexes.close();
    },
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
    const id = idOf(team, path);
    const known = records.get(id);
    if (known?.fingerprint === fingerprint && (await isReadable(id))) return toDocsSource(known);
    const addressed = files.map((file) => ({ path: file.path, address: pathToFileURL(join(path, file.name)).href }));
    const size = await indexes.run({ kind: 'indexFiles', index: fileOf(id), files: addressed });
    if (size.passages === 0)
      throw new ServiceError(
        400,
        `${shorten(path)} has no Markdown files with text. ${await otherTexts(actual)}`.trim(),
      );
    const source = { team, kind: 'folder', location: path, key: path, name: name ?? basename(path) } as const;
    return save({ ...source, actual, fingerprint }, size);
  }

  /** Sends pages to the thread bit by bit, as they are read. */
  async function indexPages(index: string, pages: AsyncIterable<CrawledPage>): Promise<IndexSize> {
    const adding = randomUUID();
    let batch: NewText[] = [];
    let characters = 0;
    const send = async () => {
      const { passages } = await indexes.run({ kind: 'addPages', adding, pages: batch });
      batch = [];
      characters = 0;
      return passages;
    };
    try {
      for await (const { url: address, title, markdown } of pages) {
        batch.push({ address, title, markdown });
        characters += markdown.length;
        if (characters >= batchCharacters && (await send()) > mostPassages) break;
      }
      await send();
      return await indexes.run({ kind: 'indexPages', adding, index });
    } finally {
      indexes.run({ kind: 'dropPages', adding }).catch(() => undefined);
    }
  }

  /** Whether the index of a source is there and of this version. */
  async function isReadable(id: string): Promise<boolean> {
    try {
      await indexes.run({ kind: 'load', index: fileOf(id) });
      return true;
    } catch (error) {
      log.warn({ path: fileOf(id), reason: messageOf(error) }, 'could not read an index');
      return false;
    }
  }

  /** Added folders may have changed since the last run; those that the service was started with may be new. */
  async function indexFolders(): Promise<void> {
    const added = [...records.values()].filter(({ kind, team }) => kind === 'folder' && team !== null);
    const given = options.folders.map((folder) => ({ team: null, location: resolve(folder), name: undefined }));
    for (const { team, location, name, actual } of [...given.map((each) => ({ ...each, actual: '' })), ...added]) {
      try {
        const found = team === null ? location : await realpath(location);
        // What the team was allowed to read isn't what a link has led to since.
        if (actual && actual !== found) throw new Error('It now leads to another folder. Add it again.');
        await addFolder(team, location, name, found);
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
      actual?: string;
      key: string;
      name: string;
      fingerprint: string;
    },
    { pages, passages }: IndexSize,
  ): Promise<DocsSource> {
    const { key, ...rest } = source;
    const id = idOf(source.team, key);
    const record = { ...rest, id, addedAt: clock.now(), pages, passages };
    await changeRecords((list) => list.set(id, record));
    return toDocsSource(record);
  }

  async function removeSource({ id }: SourceRecord): Promise<void> {
    await changeRecords((list) => list.delete(id));
    // The source is removed all the same, and its file is replaced when it is added again.
    await indexes
      .run({ kind: 'forget', index: fileOf(id) })
      .catch((error: unknown) =>
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

  function fileOf(id: string): string {
    return join(directory, `${id}.json`);
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

/** Reads the list of sources. Folders whose index is of another version are indexed again, crawls have to be added again. */
function readRecords(directory: string, log: Log): SourceRecord[] {
  const path = join(directory, listName);
  if (!existsSync(path)) return [];
  try {
    return z
      .array(storedRecord)
      .parse(JSON.parse(readFileSync(path, 'utf8')))
      .flatMap((record) => {
        const id = idOf(record.team, record.kind === 'crawl' ? record.fingerprint : record.location);
        if (record.id === id) return [record];
        if (record.kind === 'folder') return [{ ...record, id, fingerprint: '' }];
        log.warn({ location: record.location }, 'the index of a crawl is of another version; add the crawl again');
        return [];
      });
  } catch {
    // A damaged list is replaced by an empty one: adding a source again takes one command.
    return [];
  }
}

function isWithin(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

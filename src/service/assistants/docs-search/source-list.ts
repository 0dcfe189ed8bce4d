import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import type { DocsSource } from '../../../contract/docs-search/docs-sources.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { replaceFile } from '../../platform/system/rename.ts';
import { indexVersion } from './index/search-index.ts';
import type { DocsSourcesOptions } from './sources.ts';

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
  /** Says which of its files could not be read, until they change. */
  unread: z.array(z.string()).optional(),
});
export type SourceRecord = z.output<typeof storedRecord>;

/** The name of the file with the list. */
const listName = 'sources.json';

/** Opens the list of sources in a folder. @param folders those that the service is started with */
export function openSourceList({ directory, folders, log }: Pick<DocsSourcesOptions, 'directory' | 'folders' | 'log'>) {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const given = folders.map((folder) => idOf(null, resolve(folder)));
  const listed = readRecords(directory, log);
  const kept = listed?.filter(({ id, team }) => team !== null || given.includes(id)) ?? [];
  const records = new Map(kept.map((record) => [record.id, record]));
  /** The path of a source's index. */
  const fileOf = (id: string) => join(directory, `${id}.sqlite`);
  if (listed) deleteOthers(directory, [join(directory, listName), ...[...records.keys()].map(fileOf)], log);
  let writing: Promise<void> = Promise.resolve();
  return {
    fileOf,
    records: records as ReadonlyMap<string, SourceRecord>,
    /** Returns the team's sources, and those of all teams. */
    of: (team: string): SourceRecord[] =>
      [...records.values()].filter((record) => record.team === null || record.team === team),
    /** Changes the list and its file, one change after the other. If the file can't be written, the list stays as it was. */
    change(change: (list: Map<string, SourceRecord>) => unknown): Promise<void> {
      const written = writing.then(async () => {
        const next = new Map(records);
        change(next);
        await replaceFile(join(directory, listName), JSON.stringify([...next.values()]));
        change(records);
      });
      writing = written.catch(() => undefined);
      return written;
    },
  };
}

/** Deletes what no source has: half-stored indexes, and those of other versions and of folders that are given no longer. */
function deleteOthers(directory: string, needed: readonly string[], log: Log): void {
  for (const path of readdirSync(directory).map((name) => join(directory, name)))
    try {
      if (!needed.includes(path)) rmSync(path, { force: true, recursive: true });
    } catch (error) {
      log.warn({ path, reason: messageOf(error) }, 'could not delete what no docs source needs');
    }
}

/** Returns the ID of a source. @param key the path of a folder, or the ID of a crawl */
export function idOf(team: string | null, key: string): string {
  return hash('sha256', JSON.stringify([indexVersion, team, key])).slice(0, 32);
}

/** Reads the list of sources; undefined if there is none. Folders whose index is of another version are indexed again, crawls have to be added again. */
function readRecords(directory: string, log: Log): SourceRecord[] | undefined {
  try {
    return z
      .array(storedRecord)
      .parse(JSON.parse(readFileSync(join(directory, listName), 'utf8')))
      .flatMap((record) => {
        const id = idOf(record.team, record.kind === 'crawl' ? record.fingerprint : record.location);
        if (record.id === id) return [record];
        if (record.kind === 'folder') return [{ ...record, id, fingerprint: '' }];
        log.warn({ location: record.location }, 'the index of a crawl is of another version; add the crawl again');
        return [];
      });
  } catch {
    // There is none yet, or it is damaged and is replaced by an empty one: adding a source again takes one command.
    return undefined;
  }
}

/** Returns a source as callers see it. */
export function toDocsSource(record: SourceRecord): DocsSource {
  const { id, team, kind, name, location, pages, passages } = record;
  const crawl = kind === 'crawl' && { crawlId: record.fingerprint };
  const addedAt = new Date(record.addedAt).toISOString();
  return { id, kind, name, location, ...crawl, addedAt, pages, passages, removable: team !== null };
}

import { randomUUID } from 'node:crypto';
import { basename, isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { DocsSource } from '../../../contract/docs-search/docs-sources.ts';
import { limits } from '../../../contract/limits.ts';
import { shorten } from '../../../contract/shorten.ts';
import { workingFor } from '../../platform/asker.ts';
import { asSentence, messageOf, ServiceError } from '../../platform/errors.ts';
import type { Caller } from '../../platform/http/keys.ts';
import type { Platform } from '../../platform/platform.ts';
import { isWithin, realPath } from '../../platform/system/read-within.ts';
import type { Jobs } from '../../web/crawl/jobs.ts';
import type { Job } from '../../web/crawl/store/job-table.ts';
import type { Scraper } from '../../web/scrape/scrape.ts';
import { contentOfHtml } from './html-files.ts';
import { mostPassages } from './index/passages.ts';
import { fingerprintOf, textFiles } from './index/source-files.ts';
import { idOf, openSourceList, type SourceRecord, toDocsSource } from './source-list.ts';
import { createIndexes } from './thread/indexes.ts';
import type { IndexSize, NewText, Unread } from './thread/thread.ts';

export interface DocsSourcesOptions extends Pick<Platform, 'clock' | 'log'> {
  /** The folder of the indexes. */
  directory: string;
  /** Path of the index of the product's own texts. */
  reference: string;
  /** Folders for the questions of all teams. Teams can add folders within them. */
  folders: readonly string[];
  /** Whether a window of the team lets the service read another folder. */
  isGranted(team: string, folder: string): Promise<boolean>;
  /** Converts files of HTML. */
  scraper: Pick<Scraper, 'scrape'>;
  /** The crawls that can be added. */
  jobs: Pick<Jobs, 'find' | 'documents'>;
}

/** The sources of texts that questions are answered from, each with its own index. */
export type DocsSources = ReturnType<typeof createDocsSources>;

const batchSize = 50;
const batchBytes = 4 * 1024 * 1024;

export function createDocsSources(options: DocsSourcesOptions) {
  const { jobs, clock, log } = options;
  const stored = openSourceList(options);
  const { records, fileOf } = stored;
  const indexes = createIndexes();
  const { signal } = indexes;
  const ready = indexFolders();

  return {
    /** Searches the product's own texts and the team's sources. `unread` names those that couldn't be read. */
    async search(team: string, question: string) {
      const asked = stored.of(team);
      const paths = asked.map(({ id }) => fileOf(id));
      const reply = await indexes.run('ask', question, options.reference, paths);
      for (const failure of reply.unread) log.warn(failure, 'could not read an index');
      const unread = asked.filter(({ id }) => reply.unread.some(({ path }) => path === fileOf(id)));
      await distrust(unread).catch((error: unknown) =>
        log.warn({ reason: messageOf(error) }, 'could not note which indexes are damaged'),
      );
      return { ...reply, unread: unread.map(({ name }) => name) };
    },
    list: (team: string) => stored.of(team).map(toDocsSource),
    /** Indexes a folder; an existing source is indexed again. Rejects with 403 when the team may not read it, with 400 when it cannot be read, with 409 when the team has too many sources. */
    async addFolder(team: string, folder: string, name?: string) {
      if (!isAbsolute(folder)) throw new ServiceError(400, 'folder: expected an absolute path');
      const path = resolve(folder);
      requireRoom(team, idOf(team, path));
      return addFolder(team, path, await requireAccess(team, path), name);
    },
    /** Indexes the documents of a finished crawl. Rejects with 404, 403 or 409 when there is none, with 409 when the team has too many sources, and with 400 when it has no text. */
    async addCrawl(caller: Caller, crawlId: string, name?: string) {
      const { team } = caller;
      const id = idOf(team, crawlId);
      const isNew = requireRoom(team, id);
      const job = await jobs.find(caller, 'crawl', crawlId);
      requireFinished(job);
      const unread: Unread[] = [];
      const size = await indexPages(fileOf(id), contentOfCrawl(job), unread);
      const warning = [...unreadWarning(unread, 'pages'), ...fullWarning(size)].join(' ') || undefined;
      if (size.passages === 0)
        throw new ServiceError(400, `The crawl has no documents with text. ${warning ?? ''}`.trim());
      const crawl = { id, team, kind: 'crawl', location: job.url, fingerprint: crawlId } as const;
      const source = await save({ ...crawl, name: name ?? new URL(job.url).host, ...size }, isNew);
      return { source, warning };
    },
    /** Rejects with 404 when the team has no such source, with 409 when the service was started with it. */
    async remove(team: string, id: string): Promise<void> {
      const record = stored.of(team).find((one) => one.id === id);
      if (!record) throw new ServiceError(404, 'Source not found.');
      if (record.team === null) {
        const message =
          'The service was started with this folder. To remove it, restart the service without its --docs option.';
        throw new ServiceError(409, message, { code: 'GIVEN_AT_START' });
      }
      await stored.change((list) => list.delete(id));
      await forget(id);
    },
    /** Resolves when the folders indexed at startup are done. */
    ready: (): Promise<void> => ready,
    /** Stops indexing. */
    close: () => indexes.close(),
  };

  /** Returns the folder to read, without symbolic links: what is read is what was checked, even if a link changes meanwhile. */
  async function requireAccess(team: string, path: string): Promise<string> {
    const actual = await realPath(path).catch(() => path);
    const roots = await Promise.all(options.folders.map((root) => realPath(root).catch(() => resolve(root))));
    if (roots.some((root) => isWithin(root, actual)) || (await options.isGranted(team, path))) return actual;
    throw new ServiceError(
      403,
      `The service may not read ${shorten(path)}. Start it with --docs and this folder, or add the folder in the editor with "Add Docs Source".`,
      { code: 'FOLDER_NOT_ALLOWED' },
    );
  }

  /** Returns whether a source is new. Throws 409 if it is and the team has as many as it may keep. */
  function requireRoom(team: string, id: string): boolean {
    if (records.has(id)) return false;
    if ([...records.values()].filter((record) => record.team === team).length < limits.docsSources) return true;
    const message = `The team already has ${limits.docsSources} docs sources. Remove one that is no longer used.`;
    throw new ServiceError(409, message);
  }

  /** Returns a source, and what of it isn't read. @param actual the folder that is read, without symbolic links */
  async function addFolder(team: string | null, path: string, actual: string, name = basename(path)) {
    const id = idOf(team, path);
    const known = records.get(id);
    const { files, areHtml, warnings } = await textFiles(actual, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      throw new ServiceError(400, `Could not read the folder ${shorten(path)}: ${messageOf(error)}`);
    });
    const warningFor = (read: IndexSize & Pick<SourceRecord, 'unread'>) =>
      [...warnings, ...(read.unread ?? []), ...fullWarning(read)].join(' ') || undefined;
    const fingerprint = fingerprintOf(files);
    if (
      known?.fingerprint === fingerprint &&
      (await indexes.run('check', fileOf(id)).then(
        () => true,
        () => false,
      ))
    )
      return { source: toDocsSource(known), warning: warningFor(known) };
    const addressed = files.map((file) => ({ path: file.path, address: pathToFileURL(join(path, file.name)).href }));
    const failed: Unread[] = [];
    const note = (address: string, error: unknown) => failed.push({ path: address, reason: messageOf(error) });
    const read: IndexSize & { unread?: Unread[] } = areHtml
      ? await indexPages(
          fileOf(id),
          contentOfHtml(actual, addressed, options.scraper, team ?? '', signal, note),
          failed,
        )
      : await indexes.run('indexFiles', fileOf(id), actual, addressed);
    const { unread = failed, ...counts } = read;
    const nameOf = (address: string) => relative(path, fileURLToPath(address));
    const size = { ...counts, unread: unreadWarning(unread, 'files', nameOf) };
    const warning = warningFor(size);
    if (size.passages === 0) {
      throw new ServiceError(
        400,
        `${shorten(path)} has no files of Markdown, reStructuredText or HTML with text. ${warning ?? ''}`.trim(),
      );
    }
    // What could not be read is tried again the next time, but not what took too long; HTML takes long, and seldom differs.
    const isSettled = areHtml || unread.every(({ isLasting }) => isLasting);
    const folder = { id, team, kind: 'folder', location: path, name, actual } as const;
    const kept = { ...folder, ...size, fingerprint: isSettled ? fingerprint : '' };
    return { source: await save(kept, !known), warning };
  }

  async function* contentOfCrawl(job: Job): AsyncGenerator<NewText[]> {
    for (let after = 0; ; ) {
      const documents = await jobs.documents(job, after, batchSize, batchBytes);
      if (documents.length === 0) return;
      after += documents.length;
      yield documents.flatMap(({ markdown, metadata, changeTracking }) => {
        const address = metadata?.url ?? metadata?.sourceURL;
        // The site doesn't have what was removed anymore.
        if (!markdown || !address || changeTracking?.changeStatus === 'removed') return [];
        return [{ address, title: metadata?.title ?? undefined, markdown }];
      });
    }
  }

  async function indexPages(path: string, batches: AsyncIterable<NewText[]>, unread: Unread[]) {
    const adding = randomUUID();
    try {
      for await (const pages of batches) {
        const added = await indexes.run('addPages', adding, pages);
        unread.push(...added.unread);
        if (added.passages > mostPassages) break;
      }
      return await indexes.run('indexPages', path, adding);
    } finally {
      indexes.run('dropPages', adding).catch(() => undefined);
    }
  }

  /** Added folders may have changed since the last run; those that the service is started with may be new. No team waits for the folders of another one. */
  async function indexFolders(): Promise<void> {
    const added = [...records.values()].filter(({ kind, team }) => kind === 'folder' && team !== null);
    const given = options.folders.map((folder) => ({ team: null, location: resolve(folder) }));
    const ofTeams = Map.groupBy([...given, ...added], ({ team }) => team ?? '');
    await Promise.all(Array.from(ofTeams, ([team, own]) => workingFor({ team, work: '' }, () => indexAgain(own))));
  }

  type Indexed = Pick<SourceRecord, 'team' | 'location'> & Partial<SourceRecord>;
  async function indexAgain(folders: readonly Indexed[]): Promise<void> {
    for (const { team, location, name, actual } of folders) {
      try {
        const found = await realPath(location);
        // What the team was allowed to read isn't what a link has led to since.
        if (actual && actual !== found) throw new Error('It now leads to another folder. Add it again.');
        if (team !== null && !records.has(idOf(team, location))) continue;
        const { warning } = await addFolder(team, location, found, name);
        if (warning) log.warn({ folder: location, reason: warning }, 'left out texts of a folder');
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ folder: location, reason: messageOf(error) }, 'could not index a folder');
      }
    }
  }

  async function forget(id: string): Promise<void> {
    await indexes
      .run('forget', fileOf(id))
      .catch((error: unknown) => log.warn({ reason: messageOf(error) }, 'could not delete the index of a docs source'));
  }

  /** Lists a source whose index is stored. Rejects with 409 if it isn't new and was removed while it was indexed again. */
  async function save(source: Omit<SourceRecord, 'addedAt'>, isNew: boolean): Promise<DocsSource> {
    const record = { ...source, addedAt: clock.now() };
    try {
      await stored.change((list) => (isNew || list.has(record.id)) && list.set(record.id, record));
      if (!records.has(record.id)) throw new ServiceError(409, 'The source was removed meanwhile.');
    } catch (error) {
      if (!records.has(record.id)) await forget(record.id);
      throw error;
    }
    return toDocsSource(record);
  }

  /** Has folders indexed again at the next start, or when they are added again: their indexes may be damaged. */
  async function distrust(unread: readonly SourceRecord[]): Promise<void> {
    const folders = unread.filter(({ kind, fingerprint }) => kind === 'folder' && fingerprint !== '');
    if (folders.length === 0) return;
    await stored.change((list) => {
      for (const { id } of folders) {
        const record = list.get(id);
        if (record) list.set(id, { ...record, fingerprint: '' });
      }
    });
  }
}

/** Throws 409 while a crawl is running, if it failed without a page, or if nothing of it may be kept. */
function requireFinished({ options, status, completed, error }: Job): void {
  if (options.zeroDataRetention)
    throw new ServiceError(409, 'The crawl has zeroDataRetention, so its pages are not indexed.');
  if (status === 'scraping')
    throw new ServiceError(409, 'The crawl is still running. Add it again when it has finished.');
  if (status === 'failed' && completed === 0) {
    const message = `The crawl failed and has no pages. ${error ?? ''}`.trim();
    throw new ServiceError(409, message, { code: 'CRAWL_FAILED' });
  }
}

/** Says of a source that it is larger than its index may be. */
function fullWarning({ pages, passages }: IndexSize): string[] {
  if (passages <= mostPassages) return [];
  const [read, most] = [pages, mostPassages].map((count) => count.toLocaleString('en'));
  return [
    `Only its first ${read} pages are read, perhaps not all of the last: a source has at most ${most} passages. Add parts of it instead.`,
  ];
}

function unreadWarning(unread: readonly Unread[], what: string, name = (address: string) => address): string[] {
  const told = `${unread.length} of its ${what} could not be read as a whole, such as `;
  return unread.slice(0, 1).map(({ path, reason }) => `${told}${shorten(name(path))}: ${asSentence(reason)}`);
}

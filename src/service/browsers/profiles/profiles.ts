import { hash, randomUUID } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import { cp, lstat, mkdir, open, opendir, readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as z from 'zod';
import type { LoginSite } from '../../../contract/sessions/logins.ts';
import type { Profile } from '../../../contract/sessions/sessions.ts';
import { messageOf, ServiceError } from '../../platform/errors.ts';
import type { Platform } from '../../platform/platform.ts';
import { removeFolder, renameInUse } from '../../platform/system/rename.ts';
import { readSummary } from './logins/login-summary.ts';
import type { WriterTable } from './writer-table.ts';

/** A profile while a session uses it: from before its browser starts until after it has exited. */
export type OpenProfile = Awaited<ReturnType<Profiles['open']>>;

/** Named browser states on disk: one writer at a time, any number of readers. */
export type Profiles = ReturnType<typeof createProfiles>;

/** Metadata of a saved state: its directory, and its name, which is never part of a path. */
const record = z.object({ team: z.string(), name: z.string(), directory: z.uuid(), savedAt: z.number() });
type ProfileRecord = z.output<typeof record>;
const recordName = 'profile.json';
/** Part of the names of the folders of profiles that were set aside. */
const asideMark = '.unreadable-';

export interface ProfilesOptions extends Pick<Platform, 'clock' | 'log'> {
  /** Folder of all profiles. */
  directory: string;
  writers: WriterTable;
}

const releaseRetryMs = 5_000;

export function createProfiles({ directory, writers, clock, log }: ProfilesOptions) {
  /** The last load or save of each profile: they take turns, so that a state is never copied while it is being replaced. */
  const turns = new Map<string, Promise<unknown>>();

  function inTurn<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
    const result = (turns.get(folder) ?? Promise.resolve()).then(work, work);
    turns.set(folder, result);
    const settled = () => {
      if (turns.get(folder) === result) turns.delete(folder);
    };
    result.then(settled, settled);
    return result;
  }

  /** Reads what is saved of a profile. A profile that can't be read is set aside and starts empty. */
  async function readable(folder: string): Promise<ProfileRecord | undefined> {
    try {
      return await readRecord(folder);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      const aside = `${folder}${asideMark}${randomUUID()}`;
      await renameInUse(folder, aside);
      log.error(
        { profile: basename(folder), aside, reason: messageOf(error) },
        'a profile was unreadable: set it aside',
      );
      return undefined;
    }
  }

  async function load(folder: string, userDataDir: string): Promise<void> {
    for (let saved = await readable(folder); saved; ) {
      const problem = await copy(join(folder, saved.directory), userDataDir).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      // Another node may have replaced the state meanwhile, so that only a part of it was copied.
      const latest = await readable(folder);
      if (latest?.directory === saved.directory) {
        if (problem) throw problem.error;
        return;
      }
      await removeFolder(userDataDir);
      await mkdir(userDataDir, { mode: 0o700 });
      saved = latest;
    }
  }

  async function save(folder: string, team: string, name: string, userDataDir: string): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const next = randomUUID();
    await prune(userDataDir);
    await move(userDataDir, join(folder, next));
    let earlier: string[] = [];
    const isHeld = await writers.whileHeld(basename(folder), async () => {
      // Not later: by then, another node may be saving the profile.
      earlier = (await readdir(folder)).filter((entry) => entry !== next && entry !== recordName);
      await writeRecord(folder, { team, name, directory: next, savedAt: clock.now() });
    });
    if (!isHeld) {
      await removeFolder(join(folder, next));
      throw new Error(
        'the other nodes took over the profile, since this one could not reach the database for too long',
      );
    }
    for (const entry of earlier) await removeFolder(join(folder, entry));
  }

  /** The profiles that browsers of this service write. */
  const writing = new Set<string>();

  async function claim(profile: string): Promise<boolean> {
    try {
      if (!(await writers.add(profile))) return false;
      writing.add(profile);
      return true;
    } catch (error) {
      // It may have been stored nevertheless.
      if (!writing.has(profile)) void release(profile);
      throw error;
    }
  }

  async function release(profile: string): Promise<void> {
    if (writing.has(profile)) return;
    try {
      await writers.remove(profile);
    } catch (error) {
      log.warn({ reason: messageOf(error) }, "the end of a profile's use couldn't be stored: retrying");
      clock.after(releaseRetryMs, () => void release(profile));
    }
  }

  return {
    /** Opens a profile. Throws 409 if `saveChanges` is set and another session already writes to it. */
    async open(team: string, { name, saveChanges }: Profile) {
      const digest = folderName(team, name);
      const folder = join(directory, digest);
      if (saveChanges && !(await claim(digest))) {
        throw new ServiceError(
          409,
          'Another session is currently writing to this profile. Only one session at a time can save to it. Use saveChanges: false, or try again when that session has ended.',
          { code: 'PROFILE_IN_USE' },
        );
      }
      return {
        /** Copies the saved state, if any, to a browser's folder. */
        load: (userDataDir: string): Promise<void> => inTurn(folder, () => load(folder, userDataDir)),
        /** Replaces the saved state with the folder of a browser that has exited, atomically. */
        save: (userDataDir: string): Promise<void> => inTurn(folder, () => save(folder, team, name, userDataDir)),
        /** Allows the next writer. Never rejects: what can't be stored now is stored later. */
        async release(): Promise<void> {
          if (!saveChanges) return;
          writing.delete(digest);
          await release(digest);
        },
      };
    },
    /** Lists the saved profiles of a team, the latest first. */
    async list(team: string) {
      const [folders, inUse] = await Promise.all([readdir(directory).catch(() => []), writers.all()]);
      const summaries: { name: string; savedAt: string; inUse: boolean; sites: LoginSite[] }[] = [];
      for (const entry of folders) {
        if (entry.includes(asideMark)) continue;
        const folder = join(directory, entry);
        const saved = await readRecord(folder).catch((error: unknown) => {
          log.warn({ folder: entry, reason: messageOf(error) }, 'failed to read a profile');
          return undefined;
        });
        if (saved?.team !== team) continue;
        const savedAt = new Date(saved.savedAt).toISOString();
        const { sites } = await readSummary(join(folder, saved.directory));
        summaries.push({ name: saved.name, savedAt, inUse: inUse.has(entry), sites });
      }
      return summaries.sort((one, other) => other.savedAt.localeCompare(one.savedAt));
    },
  };
}

/** Returns a digest of team and name, so that any profile name makes a safe, unique folder name. */
function folderName(team: string, name: string): string {
  return hash('sha256', JSON.stringify([team, name]));
}

async function readRecord(folder: string): Promise<ProfileRecord | undefined> {
  let text: string;
  try {
    text = await readFile(join(folder, recordName), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return record.parse(JSON.parse(text));
}

function isUnreadable(error: unknown): boolean {
  return error instanceof SyntaxError || error instanceof z.ZodError;
}

async function writeRecord(folder: string, value: ProfileRecord): Promise<void> {
  const draft = join(folder, `${recordName}.${value.directory}`);
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(JSON.stringify(value));
    await file.sync();
  } finally {
    await file.close();
  }
  await renameInUse(draft, join(folder, recordName));
}

/** Copies a saved state. */
async function copy(from: string, to: string): Promise<void> {
  await cp(from, to, {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
    filter: async (path) => {
      const stats = await lstat(path);
      // Saved profiles contain no links: any link here wasn't created by Chrome.
      return stats.isDirectory() || stats.isFile();
    },
  });
}

/** Moves a folder, which may be to another disk. */
async function move(from: string, to: string): Promise<void> {
  try {
    await renameInUse(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await copy(from, to);
    await removeFolder(from);
  }
}

/** Deletes what a browser can recreate. */
async function prune(folder: string): Promise<void> {
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name);
    if (!belongsInProfile(entry)) await removeFolder(path);
    else if (entry.isDirectory()) await prune(path);
  }
}

/** Folders of a Chrome profile whose content can be fetched or built again, or tells what closed tabs showed and were typed into. */
const leftOut = new Set([
  'Cache',
  'Code Cache',
  'GPUCache',
  'GPUPersistentCache',
  'DawnCache',
  'DawnGraphiteCache',
  'DawnWebGPUCache',
  'GrShaderCache',
  'GraphiteDawnCache',
  'ShaderCache',
  'Crashpad',
  'Crash Reports',
  'BrowserMetrics',
  'DeferredBrowserMetrics',
  'Safe Browsing',
  'component_crx_cache',
  'extensions_crx_cache',
  'optimization_guide_model_store',
  'blob_storage',
  'Sessions',
  'Sessions_Encrypted',
  'Session Storage',
  'segmentation_platform',
]);

/** Whether a file or folder of a user data directory belongs in a saved profile: not caches, tabs, links, sockets or locks. */
function belongsInProfile(entry: Dirent): boolean {
  if (entry.isDirectory()) return !leftOut.has(entry.name);
  return entry.isFile() && entry.name !== 'DevToolsActivePort' && !entry.name.endsWith('.tmp');
}

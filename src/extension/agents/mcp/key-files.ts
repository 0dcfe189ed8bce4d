import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { shorten } from '../../../contract/shorten.ts';
import type { ConfigurationFormat } from './configuration.ts';
import { isEmptyConfiguration, withEntry } from './configuration-text.ts';

/** The key of an agent, in a file of its own that only the user can read, and where its configuration was written. */
export interface KeyFile {
  key: string;
  written?: WrittenConfiguration;
}

export interface WrittenConfiguration {
  path: string;
  format: ConfigurationFormat;
  /** Whether there was no such file. */
  created: boolean;
  /** The edit, with which the file becomes as it was if nobody has changed it since. */
  edit: { at: number; removed: string; inserted: string };
}

export function keyFilePath(dataDirectory: string, keyId: string): string {
  return join(dataDirectory, 'agent-keys', `${keyId}.json`);
}

export async function writeKeyFile(path: string, file: KeyFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, `${JSON.stringify(file)}\n`, 0o600);
}

/** Returns the text of a file; undefined if there is none. */
export async function readText(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** Returns the path of the file that a path leads to through links, which may not exist yet. */
export async function realPathOf(path: string): Promise<string> {
  return await realpath(path).catch(async () => {
    const folder = dirname(path);
    return folder === path ? path : join(await realPathOf(folder), basename(path));
  });
}

/** Writes a configuration that was shown. Throws if the file has changed since. Returns what undoes it. */
export async function writeConfiguration(
  path: string,
  format: ConfigurationFormat,
  before: string | undefined,
  after: string,
): Promise<WrittenConfiguration> {
  if ((await readText(path)) !== before)
    throw new Error(l10n.t('{0} has changed in the meantime. Run the command again.', shorten(path)));
  await mkdir(dirname(path), { recursive: true });
  await replaceFile(path, after);
  return { path, format, created: before === undefined, edit: editBetween(before ?? '', after) };
}

/**
 * Takes the configuration that was written with a key out of its file, and removes the key's own file. Returns the path of the
 * configuration; undefined if none was written. Throws if the configuration can't be edited.
 */
export async function undoConfiguration(keyFile: string): Promise<string | undefined> {
  const text = await readText(keyFile);
  if (text === undefined) return undefined;
  const { written } = JSON.parse(text) as KeyFile;
  if (written) await takeOut(written, keyFile);
  await rm(keyFile, { force: true });
  return written?.path;
}

async function takeOut({ path, format, created, edit }: WrittenConfiguration, keyFile: string): Promise<void> {
  const now = await readText(path);
  // Another key may have replaced this one there.
  if (!now?.includes(JSON.stringify(keyFile).slice(1, -1))) return;
  const { at, removed, inserted } = edit;
  const isAsWritten = now.slice(at, at + inserted.length) === inserted;
  const exact = isAsWritten ? now.slice(0, at) + removed + now.slice(at + inserted.length) : undefined;
  const rest = exact !== undefined && isReadable(exact, format) ? exact : withEntry(now, format, undefined);
  if (created && isEmptyConfiguration(rest, format)) await rm(path);
  else await replaceFile(path, rest);
}

function isReadable(text: string, format: ConfigurationFormat): boolean {
  try {
    isEmptyConfiguration(text, format);
    return true;
  } catch {
    return false;
  }
}

/** Replaces a file at once, or the one that it links to, with the same permissions. */
async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  const target = await realPathOf(path);
  const found = await stat(target).catch(() => undefined);
  const draft = `${target}.${randomUUID()}.new`;
  try {
    await writeFile(draft, text, { mode: mode ?? found?.mode ?? 0o600 });
    if (found && mode === undefined) await chmod(draft, found.mode);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

function editBetween(before: string, after: string): WrittenConfiguration['edit'] {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at++;
  let same = 0;
  while (same < before.length - at && before.at(-1 - same) === after.at(-1 - same)) same++;
  return { at, removed: before.slice(at, before.length - same), inserted: after.slice(at, after.length - same) };
}

import { open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { type Place, place, placeHeader } from '../../../contract/embedded.ts';
import { describeIssues } from '../../../contract/errors.ts';
import { shorten } from '../../../contract/shorten.ts';
import { asSentence, messageOf, ServiceError } from '../../platform/errors.ts';
import { withoutWaiting } from '../../platform/system/read-within.ts';

/** Where a run takes place, with everything read that its place names. */
export interface RunPlace extends Omit<Place, 'directory' | 'envFile'> {
  /** Working directory. Absent if neither it nor the file's folder exists. */
  directory?: string | undefined;
  environment: Record<string, string>;
}

const maxEnvFileSize = 1024 * 1024;
/** How long the program that writes an env file into a pipe may take, such as a password manager that asks for a fingerprint, in milliseconds. */
const pipeMs = 60_000;
const pollMs = 50;

/** Reads the header with the place of a run. Throws 400 if it's malformed. */
export function parsePlace(header: string | undefined): Place | undefined {
  if (header === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(decodeURIComponent(header));
  } catch {
    throw malformed('expected percent-encoded JSON');
  }
  const parsed = place.safeParse(value);
  if (!parsed.success) throw malformed(describeIssues(parsed.error.issues));
  return parsed.data;
}

function malformed(reason: string): ServiceError {
  return new ServiceError(400, `The header ${placeHeader} is malformed: ${reason}.`);
}

/**
 * Reads what a place names, unless `signal` aborts. A missing working directory is replaced, with a notice. Throws 400 if the
 * env file can't be read.
 */
export async function openPlace(
  { directory: wanted, envFile, ...place }: Place,
  onNotice: (text: string) => void,
  signal: AbortSignal,
  waitMs = pipeMs,
): Promise<RunPlace> {
  let directory: string | undefined = wanted;
  if (!(await isFolder(wanted))) {
    const fallback = dirname(place.file);
    directory = (await isFolder(fallback)) ? fallback : undefined;
    const used = shorten(directory ?? 'a folder of the session');
    onNotice(`The folder ${shorten(wanted)} doesn't exist. The working directory is ${used}.`);
  }
  return { ...place, directory, environment: envFile === undefined ? {} : await readEnvFile(envFile, signal, waitMs) };
}

async function readEnvFile(path: string, signal: AbortSignal, waitMs: number): Promise<Record<string, string>> {
  const fail = (text: string, advice = 'Check the file', cause?: unknown) =>
    new ServiceError(400, `${text} ${advice} or change the setting "webdata.run.envFile".`, {
      code: 'ENV_FILE',
      cause,
    });
  const content = await readText(path, signal, waitMs).catch((error: NodeJS.ErrnoException) => {
    signal.throwIfAborted();
    if (error.code === 'ENOENT') throw fail(`The env file ${shorten(path)} doesn't exist.`, 'Create the file', error);
    throw fail(`Can't read the env file ${shorten(path)}. ${asSentence(messageOf(error))}`, undefined, error);
  });
  if (!content) {
    const late = `No program finished writing to this pipe within ${waitMs / 1000} seconds.`;
    throw fail(`Can't read the env file ${shorten(path)}. ${late}`, 'Start or unlock the program that writes to it,');
  }
  if (content.includes(0)) throw fail(`The env file ${shorten(path)} isn't a text file: it contains a NUL byte.`);
  return { ...parseEnv(content.toString().replace(/^\ufeff/, '')) } as Record<string, string>;
}

/** Reads a file, or a pipe until its end. Returns undefined if that comes too late. A thread that waits for a pipe would wait forever. */
async function readText(path: string, signal: AbortSignal, waitMs: number): Promise<Buffer | undefined> {
  const file = await open(path, withoutWaiting);
  try {
    const stats = await file.stat();
    if (stats.isDirectory()) throw new Error('It is a folder.');
    const content = Buffer.alloc(maxEnvFileSize + 1);
    const deadline = performance.now() + waitMs;
    for (let length = 0; length <= maxEnvFileSize; ) {
      const read = await file.read(content, length).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EAGAIN') throw error;
      });
      length += read?.bytesRead ?? 0;
      // Before somebody writes, a pipe has an end too.
      if (read?.bytesRead === 0 && (length > 0 || !stats.isFIFO())) return content.subarray(0, length);
      if (read?.bytesRead) continue;
      if (performance.now() > deadline) return undefined;
      await sleep(pollMs, undefined, { signal });
    }
    throw new Error(`It is larger than ${maxEnvFileSize / 1024 / 1024} MiB.`);
  } finally {
    await file.close();
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

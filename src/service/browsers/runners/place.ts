import { open } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { type Place, place, placeHeader } from '../../../contract/embedded.ts';
import { describeIssues } from '../../../contract/errors.ts';
import { shorten } from '../../../contract/shorten.ts';
import { messageOf, ServiceError } from '../../platform/errors.ts';
import { readRegularFile, withoutWaiting } from '../../platform/system/read-within.ts';

/** Where a run takes place, with everything read that its place names. */
export interface RunPlace extends Omit<Place, 'directory' | 'envFile'> {
  /** Working directory. Absent if neither it nor the file's folder exists. */
  directory?: string | undefined;
  environment: Record<string, string>;
}

const maxEnvFileSize = 1024 * 1024;
/** How long whoever writes an env file into a pipe as it is read, such as a password manager, may take for it, in milliseconds. */
const pipeMs = 5_000;

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
 * Reads what a place names. A missing working directory is replaced, with a notice. Throws 400 if the env file can't be read.
 */
export async function openPlace(
  { directory: wanted, envFile, ...place }: Place,
  onNotice: (text: string) => void,
  waitMs = pipeMs,
): Promise<RunPlace> {
  let directory: string | undefined = wanted;
  if (!(await isFolder(wanted))) {
    const fallback = dirname(place.file);
    directory = (await isFolder(fallback)) ? fallback : undefined;
    const used = shorten(directory ?? 'a folder of the session');
    onNotice(`The folder ${shorten(wanted)} doesn't exist. The working directory is ${used}.`);
  }
  return { ...place, directory, environment: envFile === undefined ? {} : await readEnvFile(envFile, waitMs) };
}

async function readEnvFile(path: string, waitMs: number): Promise<Record<string, string>> {
  const fail = (text: string, cause?: unknown) => {
    const advice = 'Create the file or change the setting "webdata.run.envFile".';
    return new ServiceError(400, `${text} ${advice}`, { code: 'ENV_FILE', cause });
  };
  let content: Buffer;
  try {
    content = (await stat(path)).isFIFO() ? await readPipe(path, waitMs) : await readRegularFile(path, maxEnvFileSize);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw fail(`The env file ${shorten(path)} doesn't exist.`, error);
    throw fail(`Can't read the env file ${shorten(path)}. ${messageOf(error).replace(/\.?$/, '.')}`, error);
  }
  if (content.includes(0)) throw fail(`The env file ${shorten(path)} isn't a text file: it contains a NUL byte.`);
  return { ...parseEnv(content.toString().replace(/^\ufeff/, '')) } as Record<string, string>;
}

/** A thread that waits for a pipe would wait for as long as nobody writes to it. */
async function readPipe(path: string, waitMs: number): Promise<Buffer> {
  const signal = AbortSignal.timeout(waitMs);
  const pipe = new Socket({ fd: await promisify(open)(path, withoutWaiting), writable: false, signal });
  let content = Buffer.alloc(0);
  try {
    for await (const chunk of pipe) {
      content = Buffer.concat([content, chunk]);
      if (content.length > maxEnvFileSize)
        throw new Error(`More than ${maxEnvFileSize / 1024 / 1024} MB comes from this pipe.`);
    }
  } catch (error) {
    throw signal.aborted ? new Error(`Nobody wrote all of it into this pipe within ${waitMs / 1000} seconds.`) : error;
  }
  return content;
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

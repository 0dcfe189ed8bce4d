import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseEnv } from 'node:util';
import { type Place, place, placeHeader } from '../../../contract/embedded.ts';
import { describeIssues } from '../../../contract/errors.ts';
import { shorten } from '../../../contract/shorten.ts';
import { messageOf, ServiceError } from '../../platform/errors.ts';

/** Where a run takes place, with everything read that its place names. */
export interface RunPlace extends Omit<Place, 'directory' | 'envFile'> {
  /** Working directory. Absent if neither it nor the file's folder exists. */
  directory?: string | undefined;
  environment: Record<string, string>;
}

const maxEnvFileSize = 1024 * 1024;

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
): Promise<RunPlace> {
  let directory: string | undefined = wanted;
  if (!(await isFolder(wanted))) {
    const fallback = dirname(place.file);
    directory = (await isFolder(fallback)) ? fallback : undefined;
    const used = shorten(directory ?? 'a folder of the session');
    onNotice(`The folder ${shorten(wanted)} doesn't exist. The working directory is ${used}.`);
  }
  return { ...place, directory, environment: envFile === undefined ? {} : await readEnvFile(envFile) };
}

async function readEnvFile(path: string): Promise<Record<string, string>> {
  const fail = (text: string, cause?: unknown) => {
    const advice = 'Create the file or change the setting "webdata.run.envFile".';
    return new ServiceError(400, `${text} ${advice}`, { code: 'ENV_FILE', cause });
  };
  let content: Buffer;
  try {
    const { size } = await stat(path);
    if (size > maxEnvFileSize) throw new Error(`it is larger than ${maxEnvFileSize} bytes`);
    content = await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw fail(`The env file ${shorten(path)} doesn't exist.`, error);
    throw fail(`Can't read the env file ${shorten(path)}: ${messageOf(error)}.`, error);
  }
  if (content.includes(0)) throw fail(`The env file ${shorten(path)} isn't a text file: it contains a NUL byte.`);
  return { ...parseEnv(content.toString().replace(/^\ufeff/, '')) } as Record<string, string>;
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

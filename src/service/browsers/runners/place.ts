import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseEnv } from 'node:util';
import { type Place, place, placeHeader } from '../../../contract/embedded.ts';
import { describeIssues } from '../../../contract/errors.ts';
import { shorten } from '../../../contract/shorten.ts';
import { messageOf, ServiceError } from '../../platform/errors.ts';

/** Where a run takes place, with everything read that its place names. */
export interface RunPlace {
  /** File that the code runs as if it were in. */
  file: string;
  /** Line of the file in which the code begins, from 0. */
  line?: number;
  /** Working directory. Absent if neither it nor the file's folder exists. */
  directory?: string;
  /** Variables of the env file. */
  environment: Record<string, string>;
  /** Python interpreter of the project. */
  python?: string;
}

/** Maximum bytes of an env file. */
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
export async function openPlace(from: Place, onNotice: (text: string) => void): Promise<RunPlace> {
  const { file, line, directory, envFile, python } = from;
  const found = (await isFolder(directory)) ? directory : undefined;
  const fileFolder = dirname(file);
  const fallback = found === undefined && (await isFolder(fileFolder)) ? fileFolder : undefined;
  const used = found ?? fallback;
  if (found === undefined) {
    onNotice(
      `The folder ${shorten(directory)} doesn't exist. The working directory is ${shorten(fallback ?? 'a folder of the session')}.`,
    );
  }
  return {
    file,
    ...(line !== undefined && { line }),
    ...(used !== undefined && { directory: used }),
    environment: envFile === undefined ? {} : await readEnvFile(envFile),
    ...(python !== undefined && { python }),
  };
}

async function readEnvFile(path: string): Promise<Record<string, string>> {
  const advice = 'Create the file or change the setting "webdata.run.envFile".';
  let content: Buffer;
  try {
    const { size } = await stat(path);
    if (size > maxEnvFileSize) throw new Error(`it is larger than ${maxEnvFileSize} bytes`);
    content = await readFile(path);
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const text = missing
      ? `The env file ${shorten(path)} doesn't exist.`
      : `Can't read the env file ${shorten(path)}: ${messageOf(error)}.`;
    throw new ServiceError(400, `${text} ${advice}`, { code: 'ENV_FILE', cause: error });
  }
  if (content.includes(0)) {
    throw new ServiceError(400, `The env file ${shorten(path)} isn't a text file: it contains a NUL byte. ${advice}`, {
      code: 'ENV_FILE',
    });
  }
  return { ...parseEnv(content.toString().replace(/^\ufeff/, '')) } as Record<string, string>;
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { limits } from '../../../contract/limits.ts';
import { ReceivedBytes } from '../../../contract/received-bytes.ts';
import type { UploadedFile } from '../../../contract/scrape/parse.ts';
import { shorten } from '../../../contract/shorten.ts';
import { nextTurn } from '../async.ts';
import { badRequest, ServiceError } from '../errors.ts';
import { createPool } from '../pool.ts';
import { parseJson } from './check-body.ts';
import { LargeBody, largeBody } from './large-bodies.ts';

/** A multipart request: its file, and its options. */
export interface Upload {
  file: UploadedFile;
  /** Parsed JSON, or a LargeBody. */
  options: unknown;
  /** Frees the memory for other uploads. */
  release(): void;
}

/** Reads files that are uploaded. */
export type Uploads = ReturnType<typeof acceptUploads>;

/** How many uploads are in memory at the same time, and how many more may be, one for each team that has none. */
const [most, shares] = [8, 2];
const formatted = `${limits.parsedFile / 1024 / 1024} MiB`;

/** Makes the server accept multipart requests; only `read` reads them. */
export function acceptUploads(app: FastifyInstance) {
  void app.register(multipart, {
    throwFileSizeLimit: false,
    limits: { fileSize: limits.parsedFile, files: 1, fields: 5, parts: 10, fieldSize: 1024 * 1024, headerPairs: 100 },
  });
  const pool = createPool(most, shares);
  return {
    /** Reads the file and options of a request, once there's room for it. Throws a ServiceError. */
    async read(request: FastifyRequest, signal: AbortSignal): Promise<Upload> {
      const length = Number(request.headers['content-length'] ?? 0);
      // The rest of a multipart request is small.
      if (length > limits.parsedFile + 2 * 1024 * 1024) throw tooLarge();
      const release = await pool.acquire(request.caller.team, signal);
      try {
        return { ...(await readParts(request)), release };
      } catch (error) {
        release();
        throw asServiceError(error);
      }
    },
  };
}

async function readParts(request: FastifyRequest): Promise<Omit<Upload, 'release'>> {
  let file: UploadedFile | undefined;
  let options: unknown = {};
  for await (const part of request.parts()) {
    if (part.type === 'file') {
      if (part.fieldname !== 'file')
        throw badRequest(`unexpected file in the field "${shorten(part.fieldname, 60)}": name the field "file"`);
      const received = new ReceivedBytes();
      for await (const piece of part.file) received.push(piece);
      if (part.file.truncated) throw tooLarge();
      file = {
        name: nameOf(part.filename),
        contentType: part.mimetype || undefined,
        content: await received.wholeInTurns(nextTurn),
      };
    } else if (part.fieldname === 'options') {
      if (part.valueTruncated) throw badRequest('options: expected at most 1 MiB');
      options = optionsOf(Buffer.from(String(part.value)));
    } else throw badRequest(`unknown field "${shorten(part.fieldname, 60)}": expected "file" and "options"`);
  }
  if (!file) throw badRequest('file: expected a file in the field "file"');
  if (file.content.byteLength === 0) throw badRequest('file: the file is empty');
  return { file, options };
}

function optionsOf(json: Buffer): unknown {
  if (json.length > largeBody) return new LargeBody(json);
  try {
    return parseJson(json);
  } catch {
    throw badRequest('options: expected JSON');
  }
}

/** Returns a file's name without folders and control characters. */
function nameOf(written: string | undefined): string {
  // Clients escape quotes and line breaks as browsers do.
  const plain = (written ?? '').replaceAll('%22', '"').replaceAll(/%0[AD]/gi, '');
  const name = plain
    .replaceAll(/\p{Cc}/gu, '')
    .split(/[/\\]/)
    .at(-1)
    ?.trim();
  return (name || 'upload').slice(0, 255);
}

function tooLarge(): ServiceError {
  return new ServiceError(413, `The file is too large: the limit is ${formatted}.`);
}

/** Replaces errors of the parser, whose messages are written for programmers. */
function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'FST_REQ_FILE_TOO_LARGE') return tooLarge();
  if (code === 'FST_FILES_LIMIT') return badRequest('expected only one file');
  if (code.endsWith('_LIMIT')) return badRequest('expected only the fields "file" and "options"');
  return badRequest('the multipart body is incomplete or invalid');
}

import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { embeddedEndpoints } from '../../../contract/embedded.ts';
import type { CheckedRequestOf, Endpoint, endpoints, ResponseOf } from '../../../contract/endpoints.ts';
import { withoutIgnored } from '../../../contract/ignored-fields.ts';
import { limits } from '../../../contract/limits.ts';
import { workingFor } from '../asker.ts';
import { nextTurn } from '../async.ts';
import { ServiceError } from '../errors.ts';
import { isLarge, jsonChunks } from '../large-json.ts';
import { check } from './check-body.ts';
import type { Caller } from './keys.ts';
import { type LargeBodies, LargeBody } from './large-bodies.ts';
import type { UnreadResponses } from './unread-responses.ts';
import type { Upload, Uploads } from './uploads.ts';

/** What a handler receives along with the validated request. */
export interface Context {
  caller: Caller;
  /** Aborts when the caller disconnects before the response is sent, or the service stops. */
  signal: AbortSignal;
  /** URL of the service in links: its public URL, or the address that the caller used. */
  baseUrl: string;
  /** Returns the value of a request header, by its lowercase name. */
  header(name: string): string | undefined;
}

/** A response whose JSON is written already, in parts: texts and their UTF-8. */
export class JsonText {
  readonly parts: readonly (string | Buffer)[];

  constructor(parts: readonly (string | Buffer)[]) {
    this.parts = parts;
  }

  toString(): string {
    return this.parts.join('');
  }
}

type Table = typeof endpoints & typeof embeddedEndpoints;
export type Handler<Entry extends Endpoint> = (
  request: CheckedRequestOf<Entry>,
  context: Context,
) => Promise<ResponseOf<Entry> | JsonText> | ResponseOf<Entry> | JsonText;
export type Handlers = { [Name in keyof Table]: Handler<Table[Name]> };

/**
 * Binds the endpoints of a table to their handlers; an endpoint without a handler returns 501.
 */
export function bindEndpoints(
  app: FastifyInstance,
  table: Readonly<Record<string, Endpoint>>,
  handlers: Partial<Handlers>,
  parts: BindParts,
): void {
  for (const [name, entry] of Object.entries(table)) {
    const handler = handlers[name as keyof Handlers] as Handler<Endpoint> | undefined;
    for (const url of [entry.path, ...(entry.aliases ?? [])]) {
      app.route({
        method: entry.method,
        url,
        bodyLimit: entry.bodyLimit ?? limits.body,
        handler: (request, reply) =>
          workingFor({ team: request.caller.team, work: request.id }, () =>
            respond({ name, entry, handler, ...parts }, request, reply),
          ),
      });
    }
  }
}

interface BindParts {
  /** Aborts when the service stops. */
  stopping: AbortSignal;
  uploads: Uploads;
  bodies: LargeBodies;
  unread: UnreadResponses;
  publicUrl: string | undefined;
}

interface Route extends BindParts {
  name: string;
  entry: Endpoint;
  handler: Handler<Endpoint> | undefined;
}

async function respond(
  { name, entry, handler, stopping, uploads, bodies, unread, publicUrl }: Route,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  if (!handler) {
    throw new ServiceError(501, `${name} (${entry.method} ${entry.path}) is not supported by the embedded service.`, {
      code: 'NOT_OFFERED',
    });
  }
  const isUpload = request.isMultipart();
  if (isUpload && !entry.takesFile) throw onlyJson();
  const disconnect = new AbortController();
  const onClose = () => {
    if (!reply.raw.writableFinished) disconnect.abort(new ServiceError(499, 'The caller disconnected.'));
  };
  reply.raw.once('close', onClose);
  const signal = AbortSignal.any([disconnect.signal, stopping]);
  let upload: Upload | undefined;
  try {
    upload = isUpload ? await uploads.read(request, signal) : undefined;
    await nextTurn();
    const { params, query } = request;
    const sent = upload ? upload.options : request.body;
    const large = sent instanceof LargeBody ? await bodies.read(sent, request.caller.team, name) : undefined;
    const { body, warnings } = large
      ? { body: large.value, warnings: large.warnings }
      : withoutIgnored(entry.path, sent);
    const checked = {
      ...(large
        ? { ...checkRequest({ ...entry, body: undefined }, { params, query }), body: large.value }
        : checkRequest(entry, { params, query, body })),
      ...(upload && { file: upload.file }),
    };
    stopping.throwIfAborted();
    const response = await handler(checked, {
      caller: request.caller,
      signal,
      baseUrl: publicUrl ?? `http://${request.headers.host}`,
      header: (header) => {
        const value = request.headers[header];
        return Array.isArray(value) ? value[0] : value;
      },
    });
    const shown = response instanceof JsonText ? response : warned(response, warnings);
    if (!(shown instanceof JsonText) && !isLarge(shown)) return shown;
    const parts = shown instanceof JsonText ? shown.parts : await jsonChunks(shown);
    const length = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
    unread.add(request.caller.team, length, reply.raw);
    return send(reply, parts, length);
  } finally {
    upload?.release();
    reply.raw.off('close', onClose);
  }
}

/** Sends JSON. Long texts go out part by part: as one, it would take a moment to encode them. */
function send(reply: FastifyReply, parts: readonly (string | Buffer)[], length: number): FastifyReply {
  reply.type('application/json; charset=utf-8');
  if (parts.every((part) => typeof part === 'string')) return reply.send(parts.join(''));
  return reply.header('content-length', length).send(Readable.from(parts, { objectMode: false }));
}

/** Adds warnings to a response: to its document if it is one. */
function warned(response: unknown, warnings: readonly string[]): unknown {
  if (warnings.length === 0) return response;
  const { data, ...rest } = response as { data?: Record<string, unknown>; warning?: string };
  const add = <Part extends { warning?: unknown }>(part: Part) => ({
    ...part,
    warning: [part.warning, ...warnings].filter(Boolean).join(' '),
  });
  return data && 'metadata' in data ? { ...rest, data: add(data) } : { ...add(rest), ...(data && { data }) };
}

/** The error for bodies of other types. */
export function onlyJson(): ServiceError {
  return new ServiceError(415, 'Only JSON bodies are accepted. Send Content-Type: application/json.');
}

/** Checks the parts of a request that an endpoint has. Throws a ServiceError that says what was expected. */
export function checkRequest(
  entry: { [Key in 'params' | 'query' | 'body']?: Endpoint[Key] | undefined },
  { params, query, body }: Partial<Record<'params' | 'query' | 'body', unknown>>,
) {
  return {
    ...(entry.params && { params: check(entry.params, params) }),
    ...(entry.query && { query: check(entry.query, query ?? {}) }),
    ...(entry.body && { body: check(entry.body, body === undefined ? {} : body) }),
  };
}

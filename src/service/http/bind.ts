import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod';
import type { embeddedEndpoints } from '../../contract/embedded.ts';
import type { CheckedRequestOf, Endpoint, endpoints, ResponseOf } from '../../contract/endpoints.ts';
import { describeIssues } from '../../contract/errors.ts';
import { ServiceError } from '../errors.ts';
import { isPublishedClient } from '../published-clients.ts';
import type { Caller } from './keys.ts';
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

/** A response whose JSON is written already. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
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
        handler: (request, reply) => respond({ name, entry, handler, ...parts }, request, reply),
      });
    }
  }
}

interface BindParts {
  /** Aborts when the service stops. */
  stopping: AbortSignal;
  uploads: Uploads;
  publicUrl: string | undefined;
}

interface Route extends BindParts {
  name: string;
  entry: Endpoint;
  handler: Handler<Endpoint> | undefined;
}

async function respond(
  { name, entry, handler, stopping, uploads, publicUrl }: Route,
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
    const body = upload ? upload.options : request.body;
    const checked = {
      ...checkRequest(entry, { params: request.params, query: request.query, body }),
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
    if (!(response instanceof JsonText)) return response;
    return reply.type('application/json; charset=utf-8').send(response.text);
  } finally {
    upload?.release();
    reply.raw.off('close', onClose);
  }
}

/** The error for bodies of other types. */
export function onlyJson(): ServiceError {
  return new ServiceError(415, 'Only JSON bodies are accepted. Send Content-Type: application/json.');
}

/** Checks the parts of a request that an endpoint has. Throws a ServiceError that says what was expected. */
export function checkRequest(
  entry: Endpoint,
  { params, query, body }: Partial<Record<'params' | 'query' | 'body', unknown>>,
) {
  return {
    ...(entry.params && { params: check(entry.params, params) }),
    ...(entry.query && { query: check(entry.query, query ?? {}) }),
    ...(entry.body && { body: check(entry.body, body === undefined ? {} : body) }),
  };
}

function check(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const isClient = typeof value === 'object' && value !== null && isPublishedClient(value);
  const message = isClient ? expectedError(issues) : describeIssues(issues);
  throw new ServiceError(400, message, { code: 'BAD_REQUEST', details: issues });
}

/** Returns the error that published clients expect for an invalid body. What is wrong is in `details`, which they show too. */
function expectedError(issues: readonly z.core.$ZodIssue[]): string {
  if (issues.some(({ code }) => code === 'unrecognized_keys'))
    return 'Unrecognized key in body -- please review the v2 API documentation for request body changes';
  const [first] = issues;
  return first?.code === 'custom' ? first.message : 'Bad Request';
}

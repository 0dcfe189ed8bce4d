import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { limits } from '../../../contract/limits.ts';
import { ReceivedBytes } from '../../../contract/received-bytes.ts';
import { shorten } from '../../../contract/shorten.ts';
import { nextTurn } from '../async.ts';
import { ServiceError } from '../errors.ts';
import { parseJson } from './check-body.ts';
import { LargeBody, largeBody } from './large-bodies.ts';

/** Makes a server accept only JSON bodies in UTF-8; an empty body counts as no body. */
export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: IncomingMessage) => {
    const body = await read(payload, request.routeOptions.bodyLimit ?? limits.body);
    const encoding = request.headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity') {
      const problem = `Content-Encoding ${shorten(encoding, 40)} is not supported. Send the body uncompressed.`;
      throw new ServiceError(415, problem);
    }
    if (body.length === 0) return undefined;
    if (body.length > largeBody) return new LargeBody(body);
    await nextTurn(request.caller.team);
    return parseJson(body);
  });
}

/** Reads a body of at most so many bytes: Fastify would keep every piece of it. The rest of a larger one is left to others. */
function read(payload: IncomingMessage, most: number): Promise<Buffer> {
  const received = new ReceivedBytes();
  return new Promise((resolve, reject) => {
    const stop = () => payload.off('data', onData).off('end', onEnd).off('error', onError);
    const fail = (status: number, problem: string) => {
      stop();
      reject(new ServiceError(status, problem));
    };
    const check = (length: number) => {
      if (length > most) fail(413, `Request body is too large: the limit is ${most / 1024 / 1024} MiB.`);
    };
    const onData = (piece: Buffer) => {
      received.push(piece);
      check(received.length);
    };
    const onEnd = () => {
      stop();
      resolve(received.whole());
    };
    const onError = () => fail(400, 'The request ended before its body was complete.');
    payload.on('data', onData).on('end', onEnd).on('error', onError);
    check(Number(payload.headers['content-length']));
  });
}

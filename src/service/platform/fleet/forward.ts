import { AsyncLocalStorage } from 'node:async_hooks';
import { PassThrough, type Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dispatcher } from 'undici';
import { requestIdHeader } from '../../../contract/operations.ts';
import { ServiceError } from '../errors.ts';
import type { Caller } from '../http/keys.ts';
import type { FleetNode } from './fleet.ts';
import type { NodeWatch } from './node-watch.ts';
import { nodeName, unreachable } from './owners.ts';
import { connectMs } from './upgrade.ts';

export interface ForwardParts {
  /** Returns the headers with which a node accepts a request. */
  headersFor(node: FleetNode, caller: Caller | undefined): Record<string, string>;
  /** Called when a node couldn't be reached. */
  onUnreachable(node: FleetNode): void;
  watch: NodeWatch['watch'];
  /** How long a node has to accept a connection, in milliseconds. */
  acceptMs?: number;
}

/** Headers of one connection, and those that only this node reads. */
const notForwarded = [
  ...['authorization', 'connection', 'expect', 'keep-alive', 'proxy-authorization', 'proxy-connection', 'te'],
  ...['transfer-encoding', 'upgrade'],
];

/** Sends requests on to other nodes, and their answers back. */
export function createForward({ headersFor, onUnreachable, watch, acceptMs = connectMs }: ForwardParts) {
  /** Aborts when the caller of the request that is being sent disconnects. */
  const disconnect = new AsyncLocalStorage<AbortSignal>();

  return {
    /** Makes a server able to forward. */
    async register(app: FastifyInstance): Promise<void> {
      const { Agent } = await import('undici');
      // A run may send nothing until it ends.
      const agent = new Agent({ connect: { timeout: acceptMs }, headersTimeout: 0, bodyTimeout: 0 });
      const request = (
        options: Dispatcher.RequestOptions,
        callback: (error: Error | null, answer: Dispatcher.ResponseData<null>) => void,
      ) =>
        agent.request(
          { ...options, headersTimeout: 0, bodyTimeout: 0, signal: disconnect.getStore() ?? null },
          callback,
        );
      const { default: replyFrom } = await import('@fastify/reply-from');
      await app.register(replyFrom, {
        disableCache: true,
        undici: { request } as Dispatcher,
      });
      app.addHook('onClose', () => agent.destroy());
    },
    /** Sends a request on. Its body is passed through, or written again if it has been parsed. */
    send(node: FleetNode, request: FastifyRequest, reply: FastifyReply): void {
      const gone = new AbortController();
      const endWatch = watch(node.id, () => {
        onUnreachable(node);
        gone.abort(lost(node));
      });
      reply.raw.once('close', () => {
        endWatch();
        if (!reply.raw.writableFinished) gone.abort(new ServiceError(499, 'The caller disconnected.'));
      });
      const { headers, url = '/' } = request.raw;
      const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
      if (hasBody && request.body === undefined) request.body = request.raw;
      disconnect.run(gone.signal, () =>
        reply.from(`${new URL(node.url).origin}${url.replace(/\?.*$/s, '')}`, {
          // It would repeat requests that are answered with 503.
          retryDelay: () => null,
          rewriteRequestHeaders: (_request, given) => {
            const kept = Object.entries(given).filter(([name]) => !notForwarded.includes(name));
            // The name under which the caller reached the service is part of some answers.
            return {
              ...Object.fromEntries(kept),
              host: headers.host,
              [requestIdHeader]: request.id,
              ...headersFor(node, request.caller),
            };
          },
          rewriteHeaders: ({ connection: _connection, 'keep-alive': _keepAlive, ...given }) => given,
          onResponse: (_request, answer, response) => {
            const { stream } = response as unknown as { stream: Readable };
            // By now, another node has the node's address.
            if (answer.statusCode !== 421) return answer.send(passedOn(stream, node));
            stream.destroy();
            onUnreachable(node);
            return answer.code(503).send(unreachable(node));
          },
          onError: (answer, { error }) => {
            if (gone.signal.aborted) return answer.send(gone.signal.reason);
            if (!wasSent(error)) {
              onUnreachable(node);
              return answer.send(unreachable(node, error));
            }
            return answer.send(lost(node, error));
          },
        }),
      );
    },
  };
}

/** Returns what a node answers. An error of it is that of a lost connection, also if nothing was received yet. */
function passedOn(stream: Readable, node: FleetNode): Readable {
  const body = new PassThrough();
  stream.on('error', (error) => body.destroy(error instanceof ServiceError ? error : lost(node, error)));
  body.on('close', () => stream.destroy());
  return stream.pipe(body);
}

function lost(node: FleetNode, cause?: unknown): ServiceError {
  return new ServiceError(
    502,
    `The connection to the node ${nodeName(node)}, which this request is for, was lost. The request may have been processed: check before you send it again.`,
    { code: 'NODE_LOST', cause },
  );
}

/** Whether a request that failed may have reached its node. */
function wasSent(error: Error): boolean {
  const { code } = (error.cause ?? error) as { code?: string };
  const notConnected = [
    'ECONNREFUSED',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENOTFOUND',
    'EAI_AGAIN',
    'UND_ERR_CONNECT_TIMEOUT',
  ];
  return !notConnected.includes(code ?? '');
}

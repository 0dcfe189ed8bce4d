import type { FastifyInstance } from 'fastify';
import { socketUrl } from './address.ts';
import type { Capabilities } from './capabilities.ts';

const path = /^(\/cdp\/[^/]+\/[^/]+)\/json\/version\/?$/;

/** Whether a path is that of a browser's version, below the path of its `cdpUrl`: the secret in it is enough. */
export function isCdpVersion(of: string): boolean {
  return path.test(of);
}

/** Answers clients that are given the http form of a `cdpUrl`, as a debugging port of Chrome does. */
export function bindCdpVersions(app: FastifyInstance, capabilities: Capabilities, publicUrl: string | undefined): void {
  for (const url of ['/cdp/:session/:secret/json/version', '/cdp/:session/:secret/json/version/'])
    app.get(url, (request, reply) => {
      const [, socket = ''] = path.exec(request.url.replace(/\?.*$/s, '')) ?? [];
      const capability = capabilities.find(socket);
      if (capability === 'gone')
        return reply.code(410).send({ success: false, error: 'The session of this URL has ended.' });
      if (!capability) return reply.code(401).send({ success: false, error: "The URL isn't one of a session." });
      const origin = publicUrl ?? `http://${request.headers.host}`;
      return { 'Protocol-Version': '1.3', webSocketDebuggerUrl: socketUrl(origin) + socket };
    });
}

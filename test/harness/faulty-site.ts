import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';

/** Responds to a request for a page; anything that it does not do is left pending. */
export type Answer = (request: IncomingMessage, response: ServerResponse, url: URL) => void;

/** A site that misbehaves in all the ways that sites do, with pages that tests add. */
export interface FaultySite {
  /** As `http://127.0.0.1:PORT`. */
  readonly baseUrl: string;
  readonly port: number;
  /** Requested paths, with their queries, in order. */
  readonly requests: string[];
  /** Headers of the last request for a path. */
  headersOf(path: string): IncomingMessage['headers'] | undefined;
  /** Sets the response of a path, replacing the previous one. A string is an HTML page. */
  answer(path: string, answer: Answer | string): void;
  close(): Promise<void>;
}

export interface FaultySiteOptions {
  /** Responds to unknown paths; 404 by default. */
  otherwise?: Answer;
  host?: string;
}

const megabyte = 1024 * 1024;

export function page(html: string, headers: Record<string, string> = {}): Answer {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(html);
  };
}

export function bytes(body: Uint8Array, contentType: string): Answer {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': contentType }).end(body);
  };
}

export function status(code: number, headers: Record<string, string> = {}, body = ''): Answer {
  return (_request, response) => {
    response.writeHead(code, { 'content-type': 'text/html', ...headers }).end(body);
  };
}

export function redirect(to: string, code = 302, headers: Record<string, string> = {}): Answer {
  return (_request, response) => {
    response.writeHead(code, { location: to, ...headers }).end();
  };
}

export function encoded(body: Uint8Array, encoding: string, contentType = 'text/html'): Answer {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': contentType, 'content-encoding': encoding }).end(body);
  };
}

/** Writes the exact bytes of a response, which Node would otherwise correct. */
export function raw(text: string, end = true): Answer {
  return (request) => {
    request.socket.write(text, 'latin1');
    if (end) request.socket.end();
  };
}

/** As quickly as they can: some of what they encode is large. */
const coders = {
  gzip: (text: zlib.InputType) => zlib.gzipSync(text, { level: 1 }),
  br: (text: zlib.InputType) => zlib.brotliCompressSync(text, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
  deflate: (text: zlib.InputType) => zlib.deflateSync(text, { level: 1 }),
  zstd: (text: zlib.InputType) => zlib.zstdCompressSync(text),
};
export const encodings = Object.keys(coders) as (keyof typeof coders)[];
export const plainPage = '<!doctype html><title>Plain</title><main><h1>Plain page</h1><p>Some words.</p></main>';

/** A small file that unpacks to 100 MB of nothing. */
function bomb(encoding: keyof typeof coders): Buffer {
  return coders[encoding](Buffer.alloc(100 * megabyte));
}

function* faults(): Iterable<[string, Answer]> {
  yield ['/plain', page(plainPage)];
  yield ['/redirect/loop', redirect('/redirect/loop')];
  yield ['/redirect/a', redirect('/redirect/b')];
  yield ['/redirect/b', redirect('/redirect/a')];
  yield ['/redirect/relative', redirect('../plain')];
  yield ['/redirect/latin-1', redirect(Buffer.from('/caf\u00e9').toString('latin1'))];
  yield ['/redirect/no-location', status(302, {}, '<p>moved, but where to?</p>')];
  yield [
    '/redirect/cookie',
    (request, response) => {
      if (request.headers.cookie?.includes('seen=yes')) return page(plainPage)(request, response, new URL('http://x'));
      response.writeHead(302, { location: '/redirect/cookie', 'set-cookie': 'seen=yes; Path=/' }).end();
    },
  ];
  for (const code of [301, 302, 303, 307, 308]) yield [`/redirect/${code}`, redirect('/plain', code)];
  yield ['/redirect/file', redirect('file:///etc/passwd')];
  yield ['/redirect/javascript', redirect('javascript:alert(1)')];

  yield ['/body/empty', page('')];
  yield ['/body/too-long', page(`<p>${'x'.repeat(11 * megabyte)}`)];
  yield [
    '/body/endless',
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      const more = () => {
        while (!response.destroyed && response.write('<p>more</p>'.repeat(6000)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    },
  ];
  yield [
    '/body/slow',
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.write('<p>');
      const timer = setInterval(() => response.write('x'), 100);
      response.once('close', () => clearInterval(timer));
    },
  ];
  yield ['/body/silent', () => undefined];
  yield ['/body/shorter', raw('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n<p>short')];
  yield [
    '/body/longer',
    raw('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 8\r\n\r\n<p>short and more'),
  ];
  yield [
    '/body/dropped',
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.write('<p>half a pa', () => response.destroy());
    },
  ];
  yield [
    '/body/bad-chunk',
    raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/html\r\n\r\nZZ\r\nx\r\n'),
  ];
  yield ['/body/no-http', raw('SSH-2.0-OpenSSH_9.2\r\n')];
  yield ['/body/no-status', raw('HTTP/1.1 000 None\r\nContent-Length: 0\r\n\r\n')];
  yield ['/headers/huge', raw(`HTTP/1.1 200 OK\r\n${`X-Filler: ${'x'.repeat(1000)}\r\n`.repeat(1000)}\r\n`)];
  yield ['/headers/many', raw(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(200_000)}\r\n`)];
  yield [
    '/headers/many-trailers',
    raw(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n${'a: b\r\n'.repeat(200_000)}\r\n`),
  ];
  yield [
    '/headers/100-forever',
    (request) => {
      const timer = setInterval(() => request.socket.write('HTTP/1.1 100 Continue\r\n\r\n'), 20);
      request.socket.once('close', () => clearInterval(timer));
    },
  ];

  for (const encoding of encodings) {
    yield [`/encoded/${encoding}`, encoded(coders[encoding](plainPage), encoding)];
    yield [`/encoded/${encoding}-cut`, encoded(coders[encoding](plainPage.repeat(100)).subarray(0, -12), encoding)];
    yield [`/encoded/${encoding}-lie`, encoded(Buffer.from(plainPage), encoding)];
    yield [`/bomb/${encoding}`, (request, response, url) => encoded(bomb(encoding), encoding)(request, response, url)];
  }
  yield ['/encoded/raw-deflate', encoded(zlib.deflateRawSync(plainPage), 'deflate')];
  yield ['/encoded/twice', encoded(zlib.brotliCompressSync(zlib.gzipSync(plainPage)), 'gzip, br')];
  yield [
    '/bomb/twice',
    (request, response, url) => encoded(coders.gzip(bomb('gzip')), 'gzip, gzip')(request, response, url),
  ];
  yield ['/encoded/unknown', encoded(Buffer.from(plainPage), 'rot13')];

  yield ['/status/429', status(429, { 'retry-after': '120' }, '<h1>Slow down</h1>')];
  yield ['/status/503', status(503, { 'retry-after': '86400' }, '<h1>Later</h1>')];
}

/** Starts the site on loopback, on any free port. */
export async function startFaultySite(options: FaultySiteOptions = {}): Promise<FaultySite> {
  const answers = new Map<string, Answer>(faults());
  const requests: string[] = [];
  const seen = new Map<string, IncomingMessage['headers']>();
  const server: Server = createServer({ maxHeaderSize: 65_536 }, (request, response) => {
    const url = new URL(request.url ?? '/', 'http://site.invalid');
    requests.push(request.url ?? '');
    seen.set(url.pathname, request.headers);
    response.on('error', () => undefined);
    (answers.get(url.pathname) ?? options.otherwise ?? status(404, {}, '<h1>Not found</h1>'))(request, response, url);
  });
  server.on('connection', (socket) => socket.on('error', () => undefined));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, options.host ?? '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    port,
    requests,
    headersOf: (path) => seen.get(path),
    answer: (path, answer) => void answers.set(path, typeof answer === 'string' ? page(answer) : answer),
    async close() {
      server.closeAllConnections();
      await promisify(server.close.bind(server))();
    },
  };
}

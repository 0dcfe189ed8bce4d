import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

/** A request that a scripted grid has received. */
export interface GridRequest {
  method: string;
  path: string;
  authorization: string | undefined;
  body: string;
}

export interface ScriptedGrid {
  /** Host and port. */
  host: string;
  requests: GridRequest[];
  /** Methods and paths of the requests. */
  lines(): string[];
  /** Answers requests for browsers; by default, with `started`. */
  onStart: (response: ServerResponse, number: number) => void;
  /** JSON of the answer to /status. */
  status: unknown;
  /** Answers CDP commands; by default, all. */
  answersCdp: boolean;
  /** How many CDP commands it has received. */
  commands: number;
  /** Status of a request for the handles of windows. */
  handles: number;
  /** Closes the CDP connections. */
  disconnect(): void;
  close(): Promise<void>;
}

/** Answers that a browser has started, whose CDP has this address. */
export function started(response: ServerResponse, cdp: unknown = 'ws://unreachable.invalid:1/session/s1/se/cdp'): void {
  json(response, 200, { value: { sessionId: 's1', capabilities: { browserName: 'chrome', 'se:cdp': cdp } } });
}

/** Answers with JSON. */
export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

/** The HTTP and WebSocket side of a Selenium Grid without browsers, for what a real one rarely does. */
export async function startScriptedGrid(): Promise<ScriptedGrid> {
  const sockets = new WebSocketServer({ noServer: true });
  const requests: GridRequest[] = [];
  let asked = 0;
  const note = (request: IncomingMessage, body = '') => {
    const { method = '', url = '', headers } = request;
    requests.push({ method, path: url, authorization: headers.authorization, body });
  };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    note(request, body);
    const { pathname } = new URL(request.url ?? '', 'http://grid.test');
    if (request.method === 'POST' && pathname.endsWith('/session')) return grid.onStart(response, ++asked);
    if (request.method === 'DELETE') return json(response, 200, { value: null });
    if (pathname.endsWith('/status')) return json(response, 200, grid.status);
    if (pathname.endsWith('/window/handles')) return json(response, grid.handles, { value: [] });
    json(response, 404, { value: { error: 'unknown command', message: 'none' } });
  });
  server.on('upgrade', (request, socket, head) => {
    note(request);
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('message', (data) => {
        grid.commands++;
        if (!grid.answersCdp) return;
        const { id, method } = JSON.parse(String(data));
        const result =
          method === 'Target.getTargets'
            ? { targetInfos: [{ targetId: 'first', type: 'page' }] }
            : { targetId: 'second' };
        webSocket.send(JSON.stringify({ id, result }));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const grid: ScriptedGrid = {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    lines: () => requests.map(({ method, path }) => `${method} ${path}`),
    onStart: (response) => started(response),
    status: { value: { nodes: [] } },
    answersCdp: true,
    commands: 0,
    handles: 200,
    disconnect() {
      for (const client of sockets.clients) client.terminate();
    },
    async close() {
      grid.disconnect();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return grid;
}

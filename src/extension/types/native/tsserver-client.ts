import { type ChildProcess, fork } from 'node:child_process';

interface Response {
  type: string;
  request_seq: number;
  success: boolean;
  body?: unknown;
}

/** A TypeScript server of version 6 or earlier with this extension's plugin. It starts with the first request. */
export class TsServerClient {
  #path: string;
  #pluginFolder: string;
  #process: ChildProcess | undefined;
  #sequence = 0;
  #waiting = new Map<number, (body: unknown) => void>();
  /** Called when a server has started, before the first request. */
  onStart: () => void = () => undefined;

  /** `path` is a tsserver.js, `pluginFolder` has the plugin in its node_modules. */
  constructor(path: string, pluginFolder: string) {
    this.#path = path;
    this.#pluginFolder = pluginFolder;
  }

  /** Sends a command that has no response. Starts no server. */
  notify(command: string, values: unknown): number {
    const seq = ++this.#sequence;
    this.#process?.send({ seq, type: 'request', command, arguments: values });
    return seq;
  }

  /** Returns the body of the response, or undefined if the request failed or the server stopped. */
  async request<Body>(command: string, values: unknown): Promise<Body | undefined> {
    this.start();
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#waiting.set(this.notify(command, values), resolve);
    return (await promise) as Body | undefined;
  }

  /** Starts the server unless it is running. */
  start(): void {
    if (this.#process) return;
    const args = [
      '--useNodeIpc',
      '--useInferredProjectPerProjectRoot',
      '--disableAutomaticTypingAcquisition',
      '--suppressDiagnosticEvents',
      ...['--globalPlugins', 'web-data-typescript-plugin', '--pluginProbeLocations', this.#pluginFolder],
    ];
    const server = fork(this.#path, args, { execArgv: [], env: environment(), stdio: 'ignore' });
    this.#process = server;
    server.on('message', (message: Response) => {
      if (message.type !== 'response') return;
      this.#settle(message.request_seq, message.success ? message.body : undefined);
    });
    const ended = () => {
      if (this.#process !== server) return;
      this.#process = undefined;
      for (const seq of [...this.#waiting.keys()]) this.#settle(seq, undefined);
    };
    server.once('exit', ended);
    server.once('error', ended);
    this.onStart();
  }

  stop(): void {
    this.#process?.kill();
  }

  #settle(seq: number, body: unknown): void {
    this.#waiting.get(seq)?.(body);
    this.#waiting.delete(seq);
  }
}

/** The server needs no secrets, and VS Code's own program runs as Node.js only when it is told to. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:WEBDATA_|NODE_OPTIONS$)/.test(name));
  return { ...Object.fromEntries(kept), ELECTRON_RUN_AS_NODE: '1' };
}

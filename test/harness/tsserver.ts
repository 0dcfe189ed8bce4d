import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, VSCODE_DIR } from '../../scripts/lib/repository.mjs';

/** The TypeScript server of the workbench in .vscode-test. */
export const tsserverPath = join(VSCODE_DIR, 'extensions', 'node_modules', 'typescript', 'lib', 'tsserver.js');
export const hasTsserver = existsSync(tsserverPath);

export interface Found {
  code: number;
  text: string;
  start: { line: number; offset: number };
}

export interface QuickInfo {
  displayString: string;
  documentation: unknown;
}

/** A TypeScript server with this repository's plugin, as VS Code starts it. Positions are 1-based. */
export class TsServer {
  #process: ChildProcess;
  #sequence = 0;
  #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #unread = Buffer.alloc(0);

  /** `isPlain` starts it without the plugin. */
  constructor({ isPlain = false } = {}) {
    const plugin = ['--globalPlugins', 'web-data-typescript-plugin', '--pluginProbeLocations', ROOT];
    const args = [
      '--useInferredProjectPerProjectRoot',
      '--disableAutomaticTypingAcquisition',
      '--suppressDiagnosticEvents',
      ...(isPlain ? [] : plugin),
    ];
    this.#process = spawn(process.execPath, [tsserverPath, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#process.stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#process.once('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('The TypeScript server has exited.'));
    });
    this.send('compilerOptionsForInferredProjects', {
      // What VS Code sends for files without a project.
      options: {
        module: 'ESNext',
        moduleResolution: 'Bundler',
        target: 'ES2024',
        strict: true,
        allowJs: true,
        jsx: 'react',
      },
    });
  }

  /** Opens a file of a folder, or a buffer with its text. */
  open(file: string, projectRootPath: string, buffer: { fileContent?: string; scriptKindName?: string } = {}): void {
    this.send('open', { file, projectRootPath, ...buffer });
  }

  close(file: string): void {
    this.send('close', { file });
  }

  change(file: string, line: number, offset: number, insertString: string): void {
    this.send('change', { file, line, offset, endLine: line, endOffset: offset, insertString });
  }

  configure(snippets: string[]): void {
    this.send('configurePlugin', { pluginName: 'web-data-typescript-plugin', configuration: { snippets } });
  }

  /** Returns the errors of a file; suggestions are left out. */
  async errors(file: string): Promise<string[]> {
    const found = await Promise.all(
      ['syntacticDiagnosticsSync', 'semanticDiagnosticsSync'].map((name) => this.request<Found[]>(name, { file })),
    );
    return found.flat().map(({ code, text, start }) => `${start.line}:${start.offset} ${code} ${text}`);
  }

  async suggestions(file: string): Promise<Found[]> {
    return await this.request('suggestionDiagnosticsSync', { file });
  }

  async completions(file: string, line: number, offset: number): Promise<string[]> {
    const { entries } = await this.request<{ entries: { name: string }[] }>('completionInfo', { file, line, offset });
    return entries.map(({ name }) => name);
  }

  async hover(file: string, line: number, offset: number): Promise<QuickInfo> {
    return await this.request('quickinfo', { file, line, offset });
  }

  /** Returns the names of all files of the program that a file belongs to. */
  async fileNames(file: string): Promise<string[]> {
    const { fileNames } = await this.request<{ fileNames: string[] }>('projectInfo', { file, needFileNameList: true });
    return fileNames;
  }

  /** Sends a request that has no response of interest. */
  send(command: string, values: unknown): number {
    const seq = ++this.#sequence;
    this.#process.stdin?.write(`${JSON.stringify({ seq, type: 'request', command, arguments: values })}\n`);
    return seq;
  }

  request<Body>(command: string, values: unknown): Promise<Body> {
    const response = Promise.withResolvers<unknown>();
    this.#waiting.set(this.send(command, values), response);
    return response.promise as Promise<Body>;
  }

  stop(): void {
    this.#process.kill();
  }

  #read(chunk: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, chunk]);
    for (;;) {
      const head = /^Content-Length: (\d+)\r\n\r\n/.exec(this.#unread.subarray(0, 60).toString('latin1'));
      if (!head) return;
      const end = head[0].length + Number(head[1]);
      if (this.#unread.length < end) return;
      const message = JSON.parse(this.#unread.subarray(head[0].length, end).toString()) as Message;
      this.#unread = this.#unread.subarray(end);
      const waiting = message.type === 'response' ? this.#waiting.get(message.request_seq) : undefined;
      this.#waiting.delete(message.request_seq);
      if (message.success) waiting?.resolve(message.body);
      else waiting?.reject(new Error(message.message));
    }
  }
}

interface Message {
  type: string;
  request_seq: number;
  success: boolean;
  message?: string;
  body?: unknown;
}

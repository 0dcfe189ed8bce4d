import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { childEnvironment } from '../../../platform/environment.ts';
import { isExecutable } from '../../../platform/system/find-program.ts';
import { killTree } from '../../../platform/system/kill-tree.ts';
import { startProcess } from '../../../platform/system/start-process.ts';
import { withLifeline } from '../lifeline.ts';

/** Runs installer programs such as pip and npm. */
export type Tools = ReturnType<typeof createTools>;

/** How a tool is found or installed. */
export interface InstallOptions {
  tools: Tools;
  /** Called with the progress of an install, in addition to the callers that wait for it. */
  onNotice?: (text: string) => void;
  /** Folder to install it in, if necessary. */
  directory: string;
  /** Executable from the configuration. */
  configured?: string | undefined;
  /** Overrides PATH, for tests. */
  path?: string;
}

/** Environment variables that installers need to find and reach package indexes. All others are withheld. */
const passedVariables =
  /^(PIP_\w+|npm_config_\w+|(https?|all|no)_proxy|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|NODE_EXTRA_CA_CERTS)$/i;
/** pip writes its output as UTF-8, whatever the code page of the console. */
const textEnvironment = { PYTHONUTF8: '1', PYTHONIOENCODING: 'utf-8' };
const keptLines = 12;

/** @param marker environment variable that marks the programs, so that a stray one can be found */
export function createTools(marker: readonly [name: string, value: string]) {
  const running = new Set<{ kill(): void; exited: Promise<unknown> }>();
  const settings = Object.fromEntries(Object.entries(process.env).filter(([name]) => passedVariables.test(name)));

  return {
    /**
     * Runs a program until it exits, or the service does, and reports each line of its output. Rejects with its last lines if
     * it fails.
     */
    async run(command: string, args: readonly string[], onLine?: (line: string) => void): Promise<string> {
      const ownMarker = [`${marker[0]}_INSTALL`, randomUUID()] as const;
      const added = Object.fromEntries([marker, ownMarker]);
      const plain = { command, args };
      // Of a program that can't be run, the system's own error says more than the shell's.
      const program = isExecutable(command) ? withLifeline(plain, ownMarker) : plain;
      const child = startProcess(program.command, program.args, {
        stdio: ['ignore', 'pipe', 'pipe', 'ignore', 'ignore', 'pipe'],
        env: childEnvironment({ ...settings, ...textEnvironment, ...added }),
        detached: process.platform !== 'win32',
        windowsHide: true,
      });
      const lifeline = (child.stdio as readonly (Readable | Writable | null | undefined)[])[5];
      lifeline?.on('error', () => undefined);
      child.once('exit', () => lifeline?.destroy());
      const lines: string[] = [];
      for (const stream of [child.stdout, child.stderr]) {
        if (!stream) continue;
        createInterface({ input: stream }).on('line', (line) => {
          if (line.trim() === '') return;
          lines.push(line);
          if (lines.length > keptLines) lines.shift();
          onLine?.(line);
        });
      }
      const exited = new Promise<string>((resolve, reject) => {
        const text = () => lines.join('\n');
        child.once('error', (error) => reject(error));
        child.once('close', (code, signal) => {
          if (code === 0) resolve(text());
          else reject(new Error(text() || `${command} exited with ${signal ?? `code ${code}`}`));
        });
      });
      const entry = { exited, kill: () => killTree(child.pid) };
      running.add(entry);
      const forget = () => running.delete(entry);
      exited.then(forget, forget);
      return exited;
    },
    async close(): Promise<void> {
      for (const { kill } of running) kill();
      await Promise.allSettled([...running].map(({ exited }) => exited));
    },
  };
}

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { childEnvironment } from '../../environment.ts';

/** Runs the programs that install things. */
export interface Tools {
  /** Runs one to its end, and tells every line that it prints. Rejects, with its last lines, when it fails. */
  run(command: string, args: readonly string[], onLine?: (line: string) => void): Promise<string>;
  /** Ends those that run. */
  close(): Promise<void>;
}

/** Variables that tell such programs where packages are and how to get there; keys of other kinds stay out. */
const passed =
  /^(PIP_\w+|npm_config_\w+|(https?|all|no)_proxy|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|NODE_EXTRA_CA_CERTS)$/i;
/** Lines kept to say why one failed. */
const keptLines = 12;

/** @param marker environment variable that marks them, so that one left behind can be found */
export function createTools(marker: readonly [name: string, value: string]): Tools {
  const running = new Set<{ kill(): void; ended: Promise<unknown> }>();
  const settings = Object.fromEntries(Object.entries(process.env).filter(([name]) => passed.test(name)));

  return {
    run(command, args, onLine) {
      const child = spawn(command, args, {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: childEnvironment({ ...settings, [marker[0]]: marker[1] }),
        detached: process.platform !== 'win32',
        windowsHide: true,
      });
      const lines: string[] = [];
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on('line', (line) => {
          if (line.trim() === '') return;
          lines.push(line);
          if (lines.length > keptLines) lines.shift();
          onLine?.(line);
        });
      }
      const ended = new Promise<string>((resolve, reject) => {
        const text = () => lines.join('\n');
        child.once('error', (error) => reject(error));
        child.once('close', (code, signal) => {
          if (code === 0) resolve(text());
          else reject(new Error(text() || `${command} ended with ${signal ?? `exit code ${code}`}`));
        });
      });
      const entry = {
        ended,
        kill() {
          if (child.pid === undefined) return;
          if (process.platform === 'win32') child.kill();
          else process.kill(-child.pid, 'SIGKILL');
        },
      };
      running.add(entry);
      const forget = () => running.delete(entry);
      ended.then(forget, forget);
      return ended;
    },
    async close() {
      for (const { kill } of running) kill();
      await Promise.allSettled([...running].map(({ ended }) => ended));
    },
  };
}

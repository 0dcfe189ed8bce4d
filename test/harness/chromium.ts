import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { findChrome } from '../../src/service/browsers/chrome/find.ts';
import { temporaryFolder } from './folders.ts';

/** The suggestions of Chrome's address bar: pages of their own, which every window loads. */
export const ADDRESS_BAR_FEATURES = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'];

/** A real browser without the service. */
export interface TestChromium {
  /** WebSocket URL of its DevTools protocol. */
  cdpUrl: string;
  process: ChildProcess;
  /** Kills it, like a crash. */
  kill(): Promise<void>;
}

/** Starts a headless Chromium with one blank tab. */
export async function startChromium(...more: string[]): Promise<TestChromium> {
  const { path } = findChrome();
  if (path === undefined) throw new Error('No browser found.');
  const profile = temporaryFolder();
  const flags = [
    ...['--headless', '--no-sandbox', '--no-first-run', '--disable-gpu', '--remote-debugging-port=0'],
    `--disable-features=${ADDRESS_BAR_FEATURES.join(',')}`,
  ];
  const child = spawn(path, [...flags, ...more, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  const cdpUrl = await new Promise<string>((resolve, reject) => {
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      const url = /ws:\/\/\S+/.exec(stderr)?.[0];
      if (url) resolve(url);
    });
    child.once('exit', () => reject(new Error(`Chromium did not start: ${stderr}`)));
  });
  return {
    cdpUrl,
    process: child,
    async kill() {
      if (child.exitCode === null && child.signalCode === null) {
        const exit = once(child, 'exit');
        process.kill(-(child.pid as number), 'SIGKILL');
        await exit;
      }
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { findChrome } from '../../src/service/browsers/chrome/find.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { call, type ServiceProcess, spawnService } from '../harness/service.ts';
import { median, printTarget, printTimes } from './figures.ts';

const rounds = 9;
/** A spare whose folder exists is still starting; after this time it is ready on any machine. */
const settleMs = 5000;

/** Creates sessions with and without a spare browser, compared to launching the same Chromium up to its first usable page. */
export async function run(): Promise<void> {
  const folder = temporaryFolder();
  const services: ServiceProcess[] = [];
  const start = async (name: string, spares: number) => {
    const service = await spawnService(['--data-dir', join(folder, name), '--spare-browsers', String(spares)]);
    services.push(service);
    return service;
  };
  try {
    const executablePath = findChrome().path ?? '';
    const launch = async () => {
      const started = performance.now();
      const browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
      const page = await browser.newPage();
      await page.evaluate('1');
      const took = performance.now() - started;
      await browser.close();
      return took;
    };
    const create = async ({ line }: ServiceProcess) => {
      const ask = (method: string, path: string) =>
        call<{ id: string }>(line.baseUrl, line.apiKey ?? '', method, path, method === 'POST' ? {} : undefined);
      const started = performance.now();
      const { status, body } = await ask('POST', '/v2/browser');
      const took = performance.now() - started;
      if (status !== 200) throw new Error(`status ${status}`);
      await ask('DELETE', `/v2/browser/${body.id}`);
      return took;
    };
    const without = await start('without', 0);
    const withSpare = await start('with', 1);
    const times: Record<string, number[]> = {
      'bare launch to a usable page': [],
      'POST /v2/browser, no spare': [],
      'POST /v2/browser, spare ready': [],
    };
    for (let round = -1; round < rounds; round++) {
      while (readdirSync(join(folder, 'with', 'browsers')).length === 0)
        await new Promise((resolve) => setTimeout(resolve, 200));
      await new Promise((resolve) => setTimeout(resolve, settleMs));
      const figures = [await launch(), await create(without), await create(withSpare)];
      if (round < 0) continue;
      for (const [index, list] of Object.values(times).entries()) list.push(figures[index] ?? Number.NaN);
    }
    printTimes(times);
    const [bare = [], none = [], spare = []] = Object.values(times);
    const ratio = median(spare) / median(bare);
    printTarget('with a spare browser, relative to a bare launch', ratio, 'at most 0.05', ratio <= 0.05);
    const cold = median(none) / median(bare);
    printTarget('without a spare browser, relative to a bare launch', cold, 'at most 1.1', cold <= 1.1);
  } finally {
    for (const { child, exited } of services) {
      child.kill('SIGTERM');
      await exited;
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

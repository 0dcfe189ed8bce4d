import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repository, temporaryFolder } from '../harness/folders.ts';
import { call, spawnService } from '../harness/service.ts';
import { interleave, median, printTarget, printTimes } from './figures.ts';

/**
 * Runs `1+1` and `page.title()` through the API on a warm session, compared to the same in the runner's process and to a
 * Node script that connects Playwright to the same browser.
 */
export async function run(): Promise<void> {
  const folder = temporaryFolder();
  const { child, line, exited } = await spawnService(['--data-dir', join(folder, 'data')]);
  const ask = <Body>(method: string, path: string, body?: object) =>
    call<Body>(line.baseUrl, line.apiKey ?? '', method, path, body);
  try {
    const session = (await ask<{ id: string; cdpUrl: string }>('POST', '/v2/browser', {})).body;
    const execute = async (code: string) => {
      const { body } = await ask<{ result: string; error?: string }>('POST', `/v2/browser/${session.id}/execute`, {
        code,
      });
      if (body.error !== undefined) throw new Error(body.error);
      return body.result;
    };
    await execute('await page.goto("data:text/html,<title>bench</title>"); 1');

    const script = join(folder, 'script.mjs');
    const playwright = pathToFileURL(join(repository, 'node_modules', 'playwright-core', 'index.mjs')).href;
    writeFileSync(
      script,
      `import { chromium } from ${JSON.stringify(playwright)};
       const browser = await chromium.connectOverCDP(process.env.CDP_URL);
       console.log(await browser.contexts()[0].pages()[0].title());
       await browser.close();`,
    );
    const runScript = () =>
      new Promise<void>((resolve, reject) => {
        const node = spawn(process.execPath, [script], {
          stdio: 'ignore',
          env: { ...process.env, CDP_URL: session.cdpUrl },
        });
        node.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`the script exited with ${code}`))));
      });

    const inside: Record<string, number[]> = { '1+1': [], 'page.title()': [] };
    /** Repeats an expression inside the runner and measures it there. */
    const timeInside = async (name: string, expression: string) => {
      const figures = await execute(
        `{ const times = []; for (let round = 0; round < 20; round++) { const start = performance.now(); ${expression}; times.push(performance.now() - start); } times }`,
      );
      inside[name]?.push(...(JSON.parse(figures) as number[]));
    };
    const times: Record<string, number[]> = {};
    for (let block = 0; block < 7; block++) {
      await timeInside('1+1', 'await 0; 1 + 1');
      await timeInside('page.title()', 'await page.title()');
      const measured = await interleave(
        { 'API: 1+1': () => execute('1+1'), 'API: page.title()': () => execute('await page.title()') },
        20,
        2,
      );
      for (const [name, figures] of Object.entries(measured)) times[name] = [...(times[name] ?? []), ...figures];
      const scripts = await interleave({ 'node script.mjs: title()': runScript }, 2, 0);
      for (const [name, figures] of Object.entries(scripts)) times[name] = [...(times[name] ?? []), ...figures];
    }
    printTimes({
      'inside the runner: 1+1': inside['1+1'] ?? [],
      'inside the runner: page.title()': inside['page.title()'] ?? [],
      ...times,
    });
    const over = (name: string) => median(times[`API: ${name}`] ?? []) - median(inside[name] ?? []);
    const faster = median(times['node script.mjs: title()'] ?? []) / median(times['API: page.title()'] ?? []);
    printTarget('1+1, ms of overhead over the runner', over('1+1'), 'at most 5', over('1+1') <= 5);
    printTarget(
      'page.title(), ms of overhead over the runner',
      over('page.title()'),
      'at most 5',
      over('page.title()') <= 5,
    );
    printTarget('times faster than node script.mjs', faster, 'at least 20', faster >= 20);
  } finally {
    child.kill('SIGTERM');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  }
}

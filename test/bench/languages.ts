import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../harness/folders.ts';
import { agentBrowserForTests, pythonForTests } from '../harness/runner-tools.ts';
import { call, spawnService } from '../harness/service.ts';
import { interleave, median, printTarget, printTimes } from './figures.ts';

/** Runs `page.title()` in python and bash on a warm session, compared to the same without the service. */
export async function run(): Promise<void> {
  const folder = temporaryFolder();
  const { interpreter } = await pythonForTests((text) => console.log(text));
  const bin = await agentBrowserForTests((text) => console.log(text));
  const agentBrowser = join(bin, 'agent-browser');
  const { child, line, exited } = await spawnService([
    '--data-dir',
    folder,
    '--python',
    interpreter,
    '--agent-browser',
    agentBrowser,
  ]);
  const ask = <Body>(method: string, path: string, body?: object) =>
    call<Body>(line.baseUrl, line.apiKey ?? '', method, path, body);
  const bare: NodeJS.ProcessEnv = { ...process.env, AGENT_BROWSER_SESSION: 'web-data-bench' };
  const spawnBare = (...args: string[]) =>
    new Promise<void>((resolve, reject) => {
      const command = spawn(agentBrowser, args, { stdio: 'ignore', env: bare });
      command.once('exit', (code) =>
        code === 0 ? resolve() : reject(new Error(`agent-browser ${args[0]} exited with ${code}`)),
      );
    });
  try {
    const session = (await ask<{ id: string; cdpUrl: string }>('POST', '/v2/browser', { ttl: 3600 })).body;
    const execute = async (language: string, code: string) => {
      const { body } = await ask<{ result: string; error?: string }>('POST', `/v2/browser/${session.id}/execute`, {
        code,
        language,
        timeout: 120,
      });
      if (body.error !== undefined) throw new Error(body.error);
      return body.result;
    };
    await execute('node', 'await page.goto("data:text/html,<title>bench</title>"); 1');
    await execute('python', 'await page.title()');
    await execute('bash', 'agent-browser get title');
    await spawnBare('connect', session.cdpUrl);
    await spawnBare('get', 'title');

    const inside: number[] = [];
    const times: Record<string, number[]> = {};
    for (let block = 0; block < 5; block++) {
      const code = `import time\ntimes = []\nfor _ in range(20):\n    start = time.perf_counter()\n    await page.title()\n    times.append((time.perf_counter() - start) * 1000)\ntimes`;
      inside.push(...(JSON.parse(await execute('python', code)) as number[]));
      const measured = await interleave(
        {
          'API, python: page.title()': () => execute('python', 'await page.title()'),
          'API, bash: agent-browser get title': () => execute('bash', 'agent-browser get title'),
          'bare: agent-browser get title': () => spawnBare('get', 'title'),
        },
        15,
        1,
      );
      for (const [name, figures] of Object.entries(measured)) times[name] = [...(times[name] ?? []), ...figures];
    }
    printTimes({ 'inside python: page.title()': inside, ...times });
    const [python = [], bash = [], agent = []] = Object.values(times);
    const over = median(python) - median(inside);
    printTarget('python, ms of overhead over its process', over, 'at most 8', over <= 8);
    const ratio = median(bash) / median(agent);
    printTarget('bash, relative to the bare call', ratio, 'at most 1.3', ratio <= 1.3);
  } finally {
    await spawnBare('close').catch(() => undefined);
    child.kill('SIGTERM');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  }
}

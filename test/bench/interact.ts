import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { temporaryFolder } from '../harness/folders.ts';
import { call, spawnService } from '../harness/service.ts';
import { median, printTarget, printTimes } from './figures.ts';

const rounds = 9;

/** The first interact on a scrape, compared to the same steps in a new session, and later interacts, compared to execute. */
export async function run(): Promise<void> {
  const folder = temporaryFolder();
  const site = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(
      '<!doctype html><title>Shop</title><input id="name"><button onclick="document.title = \'pressed\'">Press</button>',
    );
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
  const { child, line, exited } = await spawnService([
    '--data-dir',
    folder,
    '--spare-browsers',
    '0',
    '--max-sessions',
    '10',
  ]);
  const ask = async <Body>(method: string, path: string, body?: object) => {
    const answer = await call<Body & { error?: string }>(line.baseUrl, line.apiKey ?? '', method, path, body);
    if (answer.status !== 200 || answer.body?.error !== undefined)
      throw new Error(`${path}: ${answer.status} ${answer.body?.error}`);
    return answer.body;
  };
  const times: Record<string, number[]> = {
    'by hand: session and steps': [],
    'first interact': [],
    execute: [],
    'later interact': [],
  };
  const time = async (name: string, work: () => Promise<unknown>, counts: boolean) => {
    const started = performance.now();
    await work();
    if (counts) times[name]?.push(performance.now() - started);
  };
  try {
    const actions = [
      { type: 'click', selector: '#name' },
      { type: 'write', text: 'Ada' },
      { type: 'click', selector: 'button' },
    ];
    const steps = `await page.goto(${JSON.stringify(url)}); await page.click('#name'); await page.keyboard.insertText('Ada'); await page.click('button'); await page.title()`;
    for (let round = -1; round < rounds; round++) {
      const counts = round >= 0;
      let sessionId = '';
      await time(
        'by hand: session and steps',
        async () => {
          sessionId = (await ask<{ id: string }>('POST', '/v2/browser', {})).id;
          await ask('POST', `/v2/browser/${sessionId}/execute`, { code: steps });
        },
        counts,
      );
      const scrape = await ask<{ data: { metadata: { scrapeId: string } } }>('POST', '/v2/scrape', { url, actions });
      const job = scrape.data.metadata.scrapeId;
      const interact = () => ask('POST', `/v2/scrape/${job}/interact`, { code: 'await page.title()' });
      await time('first interact', interact, counts);
      for (let later = 0; later < 5; later++) {
        await time(
          'execute',
          () => ask('POST', `/v2/browser/${sessionId}/execute`, { code: 'await page.title()' }),
          counts,
        );
        await time('later interact', interact, counts);
      }
      await ask('DELETE', `/v2/browser/${sessionId}`);
      await ask('DELETE', `/v2/scrape/${job}/interact`);
    }
    printTimes(times);
    const ratio = (one: string, other: string) => median(times[one] ?? []) / median(times[other] ?? []);
    const first = ratio('first interact', 'by hand: session and steps');
    printTarget('first interact, relative to the same steps in a session', first, 'at most 1.2', first <= 1.2);
    console.log(`later interacts, relative to execute: ${ratio('later interact', 'execute').toFixed(2)}`);
  } finally {
    child.kill('SIGTERM');
    await exited;
    site.closeAllConnections();
    site.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize, resolve } from 'node:path';
import { temporaryFolder } from '../harness/folders.ts';
import { ScriptedAgent } from '../harness/mcp-agent.ts';
import { spawnService } from '../harness/service.ts';
import { oracles } from './miniwob/oracles.ts';
import { Ambiguous } from './miniwob/reading.ts';
import { episodeOf } from './miniwob/task.ts';

const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
/** How often a task is solved. */
const episodes = 2;

/**
 * Solves the task pages of the public repository `Farama-Foundation/miniwob-plusplus`, in `--corpora DIR`, through the tools of
 * agents, by what their snapshots show, and takes the page's own reward. Tasks without an oracle are named.
 */
export async function run({ corpora, filter }: { corpora?: string | undefined; filter?: string }): Promise<void> {
  const html = join(resolve(corpora ?? '.'), 'miniwob', 'miniwob', 'html');
  if (corpora === undefined || !existsSync(html))
    return console.log('skipped: --corpora DIR names the folder with miniwob/miniwob/html');
  const site = createServer((request, response) => {
    const path = join(html, normalize(new URL(request.url ?? '/', 'http://site').pathname));
    response.setHeader('content-type', types[extname(path)] ?? 'application/octet-stream');
    if (existsSync(path)) response.end(readFileSync(path));
    else response.writeHead(404).end();
  });
  await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
  const base = `http://127.0.0.1:${(site.address() as AddressInfo).port}/miniwob`;
  const dataDir = temporaryFolder();
  const service = await spawnService(['--data-dir', dataDir, '--spare-browsers', '0']);
  const agent = await ScriptedAgent.connect(service.line.baseUrl, service.line.apiKey ?? '');
  const names = readdirSync(join(html, 'miniwob')).map((file) => file.replace('.html', ''));
  const [solved, wrong, without] = [[] as string[], [] as string[], [] as string[]];
  try {
    for (const name of names.filter((each) => filter === undefined || new RegExp(filter).test(each))) {
      const oracle = oracles.find(([pattern]) => pattern.test(name))?.[1];
      if (!oracle) {
        without.push(name);
        continue;
      }
      const problems: string[] = [];
      for (let [seed, done] = [1, 0]; done < episodes; seed++) {
        await agent.open(`${base}/${name}.html`);
        const begun = episodeOf(agent, '');
        const query = await begun.code(
          `await page.evaluate((seed) => { core.EPISODE_MAX_TIME = 1e6; Math.seedrandom(seed); core.startEpisodeReal(); return core.getUtterance(); }, '${seed}')`,
        );
        const error = await oracle(
          episodeOf(agent, query.replace(/^(['"`])(.*)\1$/s, '$2').replaceAll("\\'", "'")),
        ).catch((each: Error) => each);
        if (error instanceof Ambiguous) continue;
        done++;
        const reward = Number(await begun.code('await page.evaluate(() => WOB_RAW_REWARD_GLOBAL)'));
        if (reward <= 0) problems.push(`${query} → ${reward}${error ? `: ${error.message}` : ''}`);
      }
      (problems.length === 0 ? solved : wrong).push(name);
      for (const problem of problems) console.log(`${name}: ${problem}`);
    }
  } finally {
    await agent.close();
    site.close();
    site.closeAllConnections();
    service.child.kill('SIGTERM');
    await service.exited;
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
  console.log(`solved: ${solved.length} of ${solved.length + wrong.length} with an oracle`);
  console.log(`not solved: ${wrong.join(', ') || 'none'}`);
  console.log(`without an oracle: ${without.join(', ') || 'none'}`);
}

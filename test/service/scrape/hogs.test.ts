import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { constants, getPriority } from 'node:os';
import { chromeOf } from '../../harness/chrome-processes.ts';
import { eventually } from '../../harness/eventually.ts';
import { startFaultySite } from '../../harness/faulty-site.ts';
import { chosenBrowsers, startTestService } from '../../harness/service.ts';

const lowest = constants.priority.PRIORITY_LOW;

/** The priorities of the threads of each page's process of a browser. */
async function pagePriorities(browser: number): Promise<number[][]> {
  const read = async (pid: string) => {
    const [stat, command] = await Promise.all(
      ['stat', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8')),
    );
    const group = Number(stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
    if (group !== browser || !command?.includes('--type=renderer')) return [];
    return (await readdir(`/proc/${pid}/task`)).map((thread) => getPriority(Number(thread)));
  };
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = await Promise.all(pids.map((pid) => read(pid).catch(() => [])));
  return all.filter(({ length }) => length > 0);
}

describe('a page that uses all processors', () => {
  it('gets the lowest priority with all its workers, and no other page does (F21)', async function () {
    // Nothing is lower than what already has the lowest priority.
    if (process.platform !== 'linux' || getPriority() === lowest) return this.skip();
    const [site, service] = await Promise.all([startFaultySite(), startTestService(chosenBrowsers)]);
    try {
      // So many that they get their share beside other work.
      site.answer(
        '/hog',
        `<h1>Hog</h1><script>
        const code = URL.createObjectURL(new Blob(['for (;;);']));
        for (let i = 0; i < 24; i++) new Worker(code);
        </script>`,
      );
      site.answer('/calm', '<h1>Calm</h1><script>document.body.append("!")</script>');
      const scrape = (path: string, options: object) =>
        service.call('POST', '/v2/scrape', { url: site.baseUrl + path, ...options });
      const waiting = ['/hog', '/calm'].map((path) => scrape(path, { waitFor: 60_000, timeout: 120_000 }));
      for (const each of waiting) each.catch(() => undefined);
      await eventually(async () => {
        const pages = await pagePriorities(await chromeOf(service.dataDir));
        const isLow = (threads: number[]) => threads.every((priority) => priority === lowest);
        assert.equal(pages.filter(isLow).length, 1);
        assert.ok(pages.some((threads) => threads.every((priority) => priority < lowest)));
      });
    } finally {
      await Promise.all([site.close(), service.close()]);
    }
  });
});

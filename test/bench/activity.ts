import { rmSync } from 'node:fs';
import { systemClock } from '../../src/service/platform/clock.ts';
import { silentLog } from '../../src/service/platform/log.ts';
import { openDatabase } from '../../src/service/platform/storage/storage.ts';
import { createActivity } from '../../src/service/platform/team/activity.ts';
import { transaction } from '../../src/storage/storage.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { call, spawnService } from '../harness/service.ts';
import { interleave, median, printTarget, printTimes } from './figures.ts';

const items = 100_000;
const page = 100;

/** Reads pages of 100 out of 100,000 activity items (the first, a middle one, one of a rare kind) from the store and over HTTP. */
export async function run(): Promise<void> {
  const folder = temporaryFolder();
  try {
    const database = await openDatabase(folder, silentLog, 0);
    const activity = createActivity(database, systemClock);
    await transaction(database, async (tx) => {
      for (let index = 0; index < items; index++) {
        const endpoint = index % 1000 === 0 ? 'map' : 'scrape';
        const target = `https://site.test/${index}`;
        await activity.record({ id: crypto.randomUUID(), team: 'default', endpoint, target }, tx);
      }
    });
    let middle: string | undefined;
    for (let passed = 0; passed < items / 2; passed += page) {
      middle = (await activity.page('default', { limit: page, cursor: middle })).cursor ?? undefined;
    }
    const ask = (query: object) => async () => {
      const { data } = await activity.page('default', { limit: page, ...query });
      if (data.length !== page) throw new Error('a page is short');
    };
    const times = await interleave(
      {
        'the first page': ask({}),
        'a page from the middle': ask({ cursor: middle }),
        'of a rare kind': ask({ endpoint: 'map' }),
      },
      200,
      20,
    );
    await database.destroy();

    const { child, line, exited } = await spawnService(['--data-dir', folder, '--spare-browsers', '0', '--no-auth']);
    const overHttp = await interleave(
      {
        'the first page, over HTTP': async () => {
          const { body } = await call(line.baseUrl, '', 'GET', `/v2/team/activity?limit=${page}`);
          if (body.data.length !== page) throw new Error('a page is short');
        },
      },
      100,
      10,
    );
    child.kill('SIGTERM');
    await exited;
    printTimes({ ...times, ...overHttp });
    const slowest = Math.max(...Object.values(times).map(median));
    printTarget('ms for a page of 100 out of 100,000 items', slowest, 'under 5', slowest < 5);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

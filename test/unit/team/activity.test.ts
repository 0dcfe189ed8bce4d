import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { silentLog } from '../../../src/service/platform/log.ts';
import { type Database, openDatabase } from '../../../src/service/platform/storage/storage.ts';
import { type Activity, createActivity } from '../../../src/service/platform/team/activity.ts';
import { createFakeClock, type FakeClock } from '../../harness/fake-clock.ts';
import { temporaryFolder } from '../../harness/folders.ts';

describe('activity', () => {
  let folder: string;
  let database: Database;
  let clock: FakeClock;
  let activity: Activity;
  const day = 24 * 60 * 60 * 1000;
  beforeEach(async () => {
    folder = temporaryFolder();
    clock = createFakeClock();
    database = await openDatabase(folder, silentLog, 0);
    activity = createActivity(database, clock);
  });
  afterEach(async () => {
    await database.destroy();
    rmSync(folder, { recursive: true });
  });
  const record = (id: string, endpoint: 'scrape' | 'crawl' = 'scrape', team = 'red') =>
    activity.record({ id, team, endpoint, target: `https://a.test/${id}` });
  const ids = (page: { data: { id?: string | null | undefined }[] }) => page.data.map(({ id }) => id);

  it('is newest first, for one team, and of one kind on request', async () => {
    await record('1');
    await record('2', 'crawl');
    await record('3', 'scrape', 'blue');
    clock.advance(5);
    await record('4');
    assert.deepEqual(ids(await activity.page('red', {})), ['4', '2', '1']);
    assert.deepEqual(ids(await activity.page('red', { endpoint: 'scrape' })), ['4', '1']);
    assert.deepEqual(ids(await activity.page('green', {})), []);
    assert.equal((await activity.page('red', {})).data[0]?.created_at, new Date(clock.now()).toISOString());
  });

  it('has the HTTP status of a scrape', async () => {
    await activity.record({ id: '1', team: 'red', endpoint: 'scrape', target: 'https://a.test/', statusCode: 404 });
    await record('2');
    const [second, first] = (await activity.page('red', {})).data;
    assert.deepEqual([first?.status_code, second && 'status_code' in second], [404, false]);
  });

  it('continues after the last page, despite newer requests, exactly to the last item', async () => {
    for (let index = 0; index < 10; index++) await record(String(index));
    const seen: unknown[] = [];
    let cursor: string | null | undefined;
    for (let page = 0; cursor !== null; page++) {
      const answer = await activity.page('red', { limit: 4, cursor: cursor ?? undefined });
      assert.equal(answer.has_more, answer.cursor !== null);
      seen.push(...ids(answer));
      cursor = answer.cursor;
      await record(`new ${page}`);
    }
    assert.deepEqual(seen, ['9', '8', '7', '6', '5', '4', '3', '2', '1', '0']);
  });

  it('ends with a page that is exactly full', async () => {
    for (const id of ['a', 'b']) await record(id);
    assert.deepEqual(
      { ...(await activity.page('red', { limit: 2 })), data: [] },
      { data: [], cursor: null, has_more: false },
    );
  });

  it('covers 24 hours, to the millisecond, and drops older requests (CLK-02)', async () => {
    await record('old');
    clock.setWall(clock.now() + day);
    assert.deepEqual(ids(await activity.page('red', {})), ['old']);
    clock.setWall(clock.now() + 1);
    assert.deepEqual(ids(await activity.page('red', {})), []);
    assert.equal(await activity.prune(100), 1);
    clock.setWall(clock.now() - day);
    assert.deepEqual(ids(await activity.page('red', {})), []);
  });

  it('drops older requests in parts, the oldest first, and no newer ones', async () => {
    for (let index = 0; index < 5; index++) await record(`old ${index}`);
    clock.setWall(clock.now() + day + 1);
    await record('new');
    const dropped = [
      await activity.prune(2),
      await activity.prune(2),
      await activity.prune(2),
      await activity.prune(2),
    ];
    assert.deepEqual(dropped, [2, 2, 1, 0]);
    assert.deepEqual(ids(await activity.page('red', {})), ['new']);
  });

  it('rejects invalid cursors', async () => {
    for (const cursor of [
      '',
      'x',
      '12:3',
      Buffer.from('a:b').toString('base64url'),
      Buffer.from('1:2:3').toString('base64url'),
      'MTox=',
      ' MTox',
    ])
      await assert.rejects(activity.page('red', { cursor }), { status: 400, message: /Invalid cursor/ }, cursor);
  });
});

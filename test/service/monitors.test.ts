import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { linking } from '../harness/crawl-jobs.ts';
import { eventually } from '../harness/eventually.ts';
import { createNoonClock } from '../harness/fake-clock.ts';
import { type FaultySite, startFaultySite } from '../harness/faulty-site.ts';
import { call, startTestService, type TestService } from '../harness/service.ts';

describe('a monitor', () => {
  let service: TestService;
  let site: FaultySite;
  beforeEach(async () => {
    site = await startFaultySite();
    site.answer('/a', linking('The lamp is lit'));
    service = await startTestService({ clock: createNoonClock() });
  });
  afterEach(async () => {
    await service.close();
    await site.close();
  });

  async function create(more: object = {}) {
    const targets = [{ type: 'scrape', urls: [`${site.baseUrl}/a`] }];
    const body = { name: 'Lamp', schedule: { text: 'daily at 9:00' }, targets, ...more };
    const created = await service.call('POST', '/v2/monitor', body);
    assert.equal(created.status, 200, JSON.stringify(created.body));
    return created.body.data;
  }

  /** Runs a check and returns it with its pages. */
  async function checked(id: string) {
    const started = await service.call('POST', `/v2/monitor/${id}/run`, {});
    return await eventually(async () => {
      const path = `/v2/monitor/${id}/checks/${started.body.data.id}`;
      const { data } = (await service.call('GET', path)).body;
      assert.notEqual(data.finishedAt, null);
      return data;
    });
  }

  it('says of each check what is new, the same and changed, with the lines', async () => {
    const { id, schedule, status, nextRunAt } = await create();
    assert.deepEqual([status, schedule.cron], ['active', '0 9 * * *']);
    assert.match(nextRunAt, /T09:00:00/);
    assert.deepEqual([(await checked(id)).pages[0].status, (await checked(id)).pages[0].status], ['new', 'same']);
    site.answer('/a', linking('The lamp is out'));
    const check = await checked(id);
    assert.deepEqual([check.status, check.trigger, check.summary.changed], ['completed', 'manual', 1]);
    assert.match(check.pages[0].diff.text, /^-.*The lamp is lit[\s\S]*^\+.*The lamp is out/m);
    const scrape = await service.call('GET', `/v2/scrape/${check.pages[0].currentScrapeId}`);
    assert.match(scrape.body.data.markdown, /The lamp is out/);
    const { data } = (await service.call('GET', `/v2/monitor/${id}/checks?limit=2`)).body;
    assert.deepEqual([data.length, data[0].id], [2, check.id]);
    assert.equal((await service.call('GET', `/v2/monitor/${id}`)).body.data.lastCheckSummary.changed, 1);
  });

  it('records a page that fails as an error and not as a change, and waits longer', async () => {
    const { id } = await create({ schedule: { cron: '* * * * *' } });
    await checked(id);
    site.answer('/a', (_request, response) => void response.writeHead(500).end('broken'));
    const check = await checked(id);
    assert.deepEqual([check.status, check.pages[0].status, check.summary.error], ['failed', 'error', 1]);
    const { nextRunAt } = (await service.call('GET', `/v2/monitor/${id}`)).body.data;
    assert.ok(Date.parse(nextRunAt) - Date.parse(check.finishedAt) >= 4 * 60_000, nextRunAt);
    site.answer('/a', linking('The lamp is lit'));
    assert.equal((await checked(id)).pages[0].status, 'same');
  });

  it('compares only the parts that a selector names', async () => {
    const target = { type: 'scrape', urls: [`${site.baseUrl}/b`], scrapeOptions: { includeTags: ['#price'] } };
    const page = (news: string, price: string) => `<main><p>${news}</p><p id="price">${price}</p></main>`;
    site.answer('/b', page('one', '10 euros'));
    const { id } = await create({ targets: [target] });
    await checked(id);
    site.answer('/b', page('two', '10 euros'));
    assert.equal((await checked(id)).pages[0].status, 'same');
    site.answer('/b', page('two', '12 euros'));
    assert.equal((await checked(id)).pages[0].status, 'changed');
  });

  it('is paused, resumed, renamed and deleted', async () => {
    const { id } = await create();
    const path = `/v2/monitor/${id}`;
    const paused = await service.call('PATCH', path, { status: 'paused', name: 'Light' });
    assert.deepEqual([paused.body.data.name, paused.body.data.nextRunAt], ['Light', null]);
    const resumed = await service.call('PATCH', path, { status: 'active', schedule: { text: 'hourly' } });
    assert.deepEqual([resumed.body.data.schedule.cron, resumed.body.data.status], ['0 * * * *', 'active']);
    const list = (await service.call('GET', '/v2/monitor')).body;
    assert.deepEqual([list.data.length, list.next], [1, null]);
    assert.equal((await service.call('DELETE', path)).status, 200);
    assert.equal((await service.call('GET', path)).status, 404);
  });

  it('leaves nothing once it is deleted (TRN-22)', async () => {
    const { id } = await create();
    await checked(id);
    const file = new DatabaseSync(join(service.dataDir, 'service.sqlite'), { readOnly: true });
    const rows = () =>
      ['monitor_check', 'monitor_page', 'page_version'].map(
        (table) => file.prepare(`SELECT 1 FROM ${table}`).all().length,
      );
    try {
      assert.deepEqual(rows(), [1, 1, 1]);
      assert.equal((await service.call('DELETE', `/v2/monitor/${id}`)).status, 200);
      await eventually(async () => assert.deepEqual(rows(), [0, 0, 0]));
    } finally {
      file.close();
    }
  });

  it('is refused with what is not offered', async () => {
    const refused = async (more: object) => {
      const body = {
        name: 'a',
        schedule: { text: 'daily' },
        targets: [{ type: 'scrape', urls: [site.baseUrl] }],
        ...more,
      };
      const { status, body: answer } = await service.call('POST', '/v2/monitor', body);
      assert.equal(status, 400);
      return answer.error;
    };
    assert.match(await refused({ schedule: { text: 'now and then' } }), /isn't understood/);
    assert.match(await refused({ targets: [{ type: 'feed', url: site.baseUrl }] }), /scrape, crawl or search/);
    const target = { type: 'scrape', urls: [site.baseUrl], id: 'mine' };
    assert.match(await refused({ targets: [target, { ...target, id: 'yours' }, target] }), /a different 'id' in each/);
    assert.match(await refused({ notification: { email: { enabled: true } } }), /e-mail is not supported/);
  });

  it('is hidden from other teams', async () => {
    const { id } = await create();
    const { status } = await call(service.baseUrl, 'unknown-key', 'GET', `/v2/monitor/${id}`);
    assert.equal(status, 401);
  });
});

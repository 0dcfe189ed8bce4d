import assert from 'node:assert/strict';
import { readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromeOf, processesOf } from '../harness/chrome-processes.ts';
import { eventually } from '../harness/eventually.ts';
import { startFaultyServer } from '../harness/faulty-server.ts';
import { chosenBrowsers, startTestService, type TestService } from '../harness/service.ts';

describe('a profile', () => {
  let service: TestService;
  beforeEach(async () => {
    service = await startTestService(chosenBrowsers);
  });
  afterEach(() => service.close());

  const profile = { name: 'shop' };
  const create = (body: object = {}) => service.call('POST', '/v2/browser', body);
  const end = (id: string) => service.call('DELETE', `/v2/browser/${id}`);
  const noBrowsers = () => eventually(async () => assert.deepEqual(await processesOf(service.dataDir), []));

  it('stays as it was if it cannot be saved, which the response says, and the next session can save it (F2, F3, PRO-10)', async () => {
    const run = (id: string, code: string) => service.call('POST', `/v2/browser/${id}/execute`, { code, timeout: 300 });
    const cookie = (value: string) =>
      `await context.addCookies([{ name: "user", value: "${value}", url: "https://shop.test", expires: 2e9 }]); 1`;
    const users = '(await context.cookies("https://shop.test")).map(({ value }) => value).join()';
    const first = (await create({ profile })).body.id;
    await run(first, cookie('ada'));
    assert.equal((await end(first)).status, 200);
    const second = (await create({ profile })).body.id;
    await run(second, cookie('eve'));
    const profiles = join(service.dataDir, 'profiles');
    renameSync(profiles, `${profiles}-aside`);
    writeFileSync(profiles, 'not a folder');
    const ended = await end(second);
    assert.equal(ended.status, 500);
    assert.match(ended.body.error, /The profile keeps its previous state/);
    await noBrowsers();
    rmSync(profiles);
    renameSync(`${profiles}-aside`, profiles);
    const third = await create({ profile });
    assert.equal(third.status, 200, JSON.stringify(third.body));
    assert.equal((await run(third.body.id, users)).body.result, 'ada');
    await end(third.body.id);
  });

  it('has no files in which Chrome keeps its tabs and what was typed into them (PRO-11)', async () => {
    const { id } = (await create({ profile })).body;
    const code = 'await page.goto("data:text/html,<input>"); await page.fill("input", "one-time code"); 1';
    assert.equal((await service.call('POST', `/v2/browser/${id}/execute`, { code })).body.result, '1');
    assert.equal((await end(id)).status, 200);
    const saved = readdirSync(join(service.dataDir, 'profiles'), { recursive: true, withFileTypes: true });
    const files = saved.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    assert.ok(files.some((path) => path.endsWith('Cookies')));
    const ofTabs = files.filter((path) => readFileSync(path).toString('latin1', 0, 4) === 'SNSS');
    assert.deepEqual(ofTabs, []);
  });

  it('whose browser is killed during a scrape fails that scrape, which says so, and is free again (LIF-05)', async () => {
    // Its page never loads.
    const site = await startFaultyServer(() => undefined);
    const body = { url: site.baseUrl, waitFor: 1, profile };
    const scraped = service.call('POST', '/v2/scrape', body);
    await eventually(() => assert.notEqual(site.arrivals.length, 0));
    process.kill(await chromeOf(service.dataDir), 'SIGKILL');
    const failed = await scraped;
    assert.equal(failed.status, 500);
    assert.equal(failed.body.code, 'SCRAPE_SITE_ERROR');
    assert.equal(failed.body.error, 'The browser stopped during the scrape. Try again.');
    await site.close();
    await noBrowsers();
    const next = await create({ profile });
    assert.equal(next.status, 200, JSON.stringify(next.body));
    await end(next.body.id);
  });

  it('that is damaged does not keep a session from starting (PRO-09)', async () => {
    assert.equal((await end((await create({ profile })).body.id)).status, 200);
    const root = join(service.dataDir, 'profiles');
    const folder = join(root, readdirSync(root)[0] ?? '');
    const state = join(folder, readdirSync(folder).find((name) => name !== 'profile.json') ?? '');
    writeFileSync(join(state, 'Default', 'Preferences'), '{"half');
    writeFileSync(join(state, 'Local State'), '');
    for (const name of readdirSync(join(state, 'Default'), { recursive: true }).map(String)) {
      if (/(?:^|\/)Cookies$/.test(name)) truncateSync(join(state, 'Default', name), 100);
    }
    const damaged = await create({ profile });
    assert.equal(damaged.status, 200, JSON.stringify(damaged.body));
    const { body } = await service.call('POST', `/v2/browser/${damaged.body.id}/execute`, { code: 'page.url()' });
    assert.equal(body.result, 'about:blank');
    assert.equal((await end(damaged.body.id)).status, 200);
    writeFileSync(join(folder, 'profile.json'), '{"half');
    const fresh = await create({ profile });
    assert.equal(fresh.status, 200, JSON.stringify(fresh.body));
    await end(fresh.body.id);
  });
});

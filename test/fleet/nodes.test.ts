import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';
import { whyNoPostgres } from '../../scripts/lib/postgres.mjs';
import { liveProtocol } from '../../src/contract/sessions/live-view-wire.ts';
import { silentLog } from '../../src/service/platform/log.ts';
import { connectPostgres } from '../../src/service/platform/storage/postgres.ts';
import type { Database } from '../../src/service/platform/storage/storage.ts';
import { eventually, patience } from '../harness/eventually.ts';
import { startFleet, type TestFleet, type TestNode } from '../harness/fleet.ts';
import { openViewer, until } from '../harness/live-viewer.ts';
import { ScriptedAgent } from '../harness/mcp-agent.ts';
import { testKey } from '../harness/service.ts';

const run = (code: string, timeout = 120) => ({ code, language: 'node', timeout });

describe('a fleet of three nodes', () => {
  let fleet: TestFleet;
  let database: Database;
  before(async function () {
    if (whyNoPostgres() !== undefined) return this.skip();
    fleet = await startFleet();
    database = connectPostgres(fleet.database, silentLog, 2);
  });
  after(async () => {
    await database?.destroy();
    await fleet?.close();
  });

  const node = (index: number): TestNode => {
    const found = fleet.nodes[index];
    assert.ok(found);
    return found;
  };
  const open = async (at: TestNode, body: object = {}) => {
    const { status, body: session } = await at.call('POST', '/v2/browser', body);
    assert.equal(status, 200, JSON.stringify(session));
    return session;
  };
  const nodeOf = async (session: string) =>
    (await database.selectFrom('browser_session').select('node').where('id', '=', session).executeTakeFirst())?.node;
  const close = async (session: string) =>
    assert.equal((await fleet.call('DELETE', `/v2/browser/${session}`)).status, 200);

  it('answers at every node for a session, with URLs that reach it through the proxy', async () => {
    const session = await open(node(0));
    assert.equal(new URL(session.cdpUrl).host, new URL(fleet.url).host);
    for (const each of fleet.nodes) {
      const { sessions } = (await each.call('GET', '/v2/browser?status=active')).body;
      for (const name of ['id', 'cdpUrl', 'liveViewUrl', 'interactiveLiveViewUrl', 'expiresAt'])
        assert.deepEqual(sessions[0][name], session[name], name);
    }
    const path = `/v2/browser/${session.id}/execute`;
    assert.equal(
      (await node(1).call('POST', path, run('var count = 1; await page.goto("data:text/html,<h1>here</h1>"); count')))
        .body.result,
      '1',
    );
    assert.equal((await node(2).call('POST', path, run('++count'))).body.result, '2');
    assert.equal((await fleet.call('POST', path, { code: 5 })).status, 400);
    const renewed = await node(1).call('POST', `/embedded/browser/${session.id}/renew`, { ttl: 3600 });
    assert.equal(renewed.status, 200);
    const listed = (await node(2).call('GET', '/v2/browser?status=active')).body.sessions[0];
    assert.notEqual(listed.expiresAt, session.expiresAt);

    // Each of these goes to another node.
    for (let index = 0; index < 3; index++) {
      const page = await fetch(session.liveViewUrl);
      assert.equal(page.status, 200);
      assert.match(await page.text(), /<title>Live view<\/title>/);
      const viewer = await openViewer(session.liveViewUrl);
      await until(() => viewer.frame, 'a picture');
      assert.equal(viewer.socket.protocol, liveProtocol);
      await viewer.close();
      const browser = await chromium.connectOverCDP(session.cdpUrl, { timeout: patience });
      assert.equal(await browser.contexts()[0]?.pages()[0]?.textContent('h1', { timeout: patience }), 'here');
      await browser.close();
    }
    assert.equal((await node(2).call('DELETE', '/v2/browser', { id: session.id })).status, 200);
    assert.equal((await node(1).call('POST', path, run('1'))).status, 410);
    await assert.rejects(openViewer(session.liveViewUrl), /410/);
  });

  it('cancels a run when its caller disconnects from another node, and passes on what a run says', async () => {
    const session = await open(node(0));
    const path = `/v2/browser/${session.id}/execute`;
    const canceled = new AbortController();
    const endless = node(1).call(
      'POST',
      path,
      run('await page.goto("about:blank"); await new Promise(() => {})', 300),
      {
        signal: canceled.signal,
      },
    );
    endless.catch(() => undefined);
    await eventually(async () => {
      const { sessions } = (await node(0).call('GET', '/v2/browser?status=active')).body;
      assert.equal(sessions[0].page?.url ?? 'about:blank', 'about:blank');
    });
    canceled.abort();
    await assert.rejects(endless);
    assert.equal((await node(2).call('POST', path, run('"next"'))).body.result, 'next');
    await close(session.id);
  });

  it('lets only nodes forward requests', async () => {
    const rows = await database.selectFrom('node').select(['secret', 'url']).execute();
    assert.equal(rows.length, 3);
    const ask = (url: string, secret: string) =>
      fetch(`${url}/v2/browser`, {
        headers: {
          'x-webdata-node': secret,
          'x-webdata-caller': encodeURIComponent(JSON.stringify({ team: 'default', keyLabel: 'x' })),
        },
      });
    const [one, other] = rows;
    assert.ok(one && other);
    assert.equal((await ask(one.url, other.secret)).status, 421);
    assert.equal((await ask(one.url, 'a'.repeat(43))).status, 421);
    assert.equal((await ask(fleet.url, '')).status, 421);
    const asItself = await fleet.call('GET', '/v2/browser', undefined, {
      headers: { 'x-webdata-caller': '%7B%22team%22%3A%22other%22%7D' },
    });
    assert.equal(asItself.status, 200);
    for (const { process } of fleet.nodes) for (const { secret } of rows) assert.ok(!process.stderr().includes(secret));
  });

  it('keeps the connection of an agent at its node', async () => {
    const agent = await ScriptedAgent.connect(fleet.url, testKey);
    for (let index = 0; index < 4; index++) assert.ok((await agent.client.listTools()).tools.length > 0);
    const mine = await agent.call('session_list');
    assert.match(mine, /./);
    await agent.client.close();
  });

  it('drains a node: its session goes on, new ones open elsewhere, and it ends with its session', async () => {
    const draining = node(1);
    const session = await open(draining);
    const id = await nodeOf(session.id);
    draining.process.child.kill('SIGTERM');
    await eventually(async () => {
      const rows = await database.selectFrom('node').select('id').where('draining', '=', 1).execute();
      assert.deepEqual(rows, [{ id }]);
    });
    const elsewhere = await open(draining);
    assert.notEqual(await nodeOf(elsewhere.id), id);
    assert.equal((await node(2).call('POST', `/v2/browser/${session.id}/execute`, run('6 * 7'))).body.result, '42');
    await close(elsewhere.id);
    await close(session.id);
    assert.deepEqual(await draining.process.exited, { code: 0, signal: null });
    await eventually(async () => assert.equal((await fleet.call('GET', '/v2/browser')).status, 200));
  });

  it('ends and bills the sessions of a node that is killed, once, and tells callers', async () => {
    const killed = node(0);
    const session = await open(killed, { profile: { name: 'kept', saveChanges: true } });
    const path = `/v2/browser/${session.id}/execute`;
    assert.equal((await node(2).call('POST', path, run('1'))).status, 200);
    const broken = node(2).call('POST', path, run('await new Promise(() => {})', 300));
    const creating = killed.call('POST', '/v2/browser', {}).catch(() => undefined);
    // One that has started sooner than that was seen has ended as well.
    const begun = eventually(async () => {
      const starts = await database.selectFrom('session_start').select('id').execute();
      assert.equal(starts.length, 1);
    });
    begun.catch(() => undefined);
    await Promise.race([begun, creating]);
    await killed.kill();
    await creating;
    assert.equal((await broken).status, 502);
    assert.equal((await broken).body.code, 'NODE_LOST');
    const unreachable = await node(2).call('POST', path, run('1'));
    // Unless the other nodes have already declared it dead.
    if (unreachable.status !== 410) {
      assert.equal(unreachable.status, 503, JSON.stringify(unreachable.body));
      assert.equal(unreachable.body.code, 'NODE_UNREACHABLE');
    }
    const other = await open(node(2));
    await eventually(async () => {
      assert.equal((await fleet.call('POST', path, run('1'))).status, 410);
    });
    const row = await database
      .selectFrom('browser_session')
      .selectAll()
      .where('id', '=', session.id)
      .executeTakeFirstOrThrow();
    assert.equal(row.status, 'destroyed');
    assert.ok((row.credits_billed ?? 0) >= 2);
    assert.match(row.end_reason ?? '', /node/);
    assert.deepEqual(await database.selectFrom('session_start').selectAll().execute(), []);
    assert.deepEqual(await database.selectFrom('profile_writer').selectAll().execute(), []);
    const again = await open(node(2), { profile: { name: 'kept', saveChanges: true } });
    await close(again.id);
    await close(other.id);
    const ended = await database.selectFrom('browser_session').select(['credits_billed']).execute();
    const [{ credits, charges } = { credits: 0, charges: 0 }] = await database
      .selectFrom('credit_usage')
      .select(['credits', 'charges'])
      .where('kind', '=', 'browser')
      .execute();
    assert.equal(charges, ended.length);
    assert.equal(
      credits,
      ended.reduce((sum, { credits_billed }) => sum + (credits_billed ?? 0), 0),
    );
  });
});

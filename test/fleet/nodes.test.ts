import assert from 'node:assert/strict';
import { whyNoPostgres } from '../../scripts/lib/postgres.mjs';
import { startFleet, type TestFleet } from '../harness/fleet.ts';

describe('a fleet of three nodes', function () {
  this.timeout(120_000);
  let fleet: TestFleet;
  before(async function () {
    if (whyNoPostgres() !== undefined) return this.skip();
    fleet = await startFleet();
  });
  after(() => fleet?.close());

  it('lists the sessions of a team at every node, with URLs that it can be reached at', async () => {
    const created = (await fleet.nodes[0]!.call('POST', '/v2/browser', {})).body;
    for (const node of fleet.nodes) {
      const { sessions } = (await node.call('GET', '/v2/browser?status=active')).body;
      for (const name of ['id', 'cdpUrl', 'liveViewUrl', 'interactiveLiveViewUrl', 'expiresAt'])
        assert.deepEqual(sessions[0][name], created[name], name);
      assert.equal(new URL(created.cdpUrl).host, new URL(fleet.url).host);
    }
  });
});

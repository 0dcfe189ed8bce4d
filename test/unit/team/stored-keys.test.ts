import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { createKeys, isRefusal } from '../../../src/service/platform/http/keys.ts';
import { silentLog } from '../../../src/service/platform/log.ts';
import { type Database, openDatabase } from '../../../src/service/platform/storage/storage.ts';
import { type AgentKeys, createAgentKeys } from '../../../src/service/platform/team/agent-keys.ts';
import { type KeyTable, keyTable } from '../../../src/service/platform/team/key-table.ts';
import {
  callersOf,
  openStoredKeys,
  requireTeamKey,
  type StoredKeys,
} from '../../../src/service/platform/team/stored-keys.ts';
import { DatabaseUnreachable } from '../../../src/storage/storage.ts';
import { createFakeClock, type FakeClock } from '../../harness/fake-clock.ts';
import { temporaryFolder } from '../../harness/folders.ts';

describe('stored keys', () => {
  let folder: string;
  let database: Database;
  let table: KeyTable;
  let clock: FakeClock;
  let revoked: string[];
  let keys: StoredKeys;
  const open = (of = table) =>
    openStoredKeys({ table: of, clock, log: silentLog, onRevoked: (id) => revoked.push(id) });
  const create = (kind: 'team' | 'metrics' | 'agent', team = 'red') =>
    table.create({ kind, team, name: `a ${kind} key`, createdAt: clock.now() });

  beforeEach(async () => {
    folder = temporaryFolder();
    database = await openDatabase(folder, silentLog, 0);
    [table, clock, revoked] = [keyTable(database), createFakeClock(), []];
    keys = await open();
  });
  afterEach(async () => {
    keys.close();
    await database.destroy();
    rmSync(folder, { recursive: true });
  });

  const answer = async (key: string, path = '/v2/browser', of = keys) =>
    await createKeys([{ key: 'given', team: 'blue' }], callersOf(of)).authenticate(`Bearer ${key}`, path);
  const status = async (key: string, path?: string) => {
    const result = await answer(key, path);
    return isRefusal(result) ? result.status : 200;
  };

  it('that others create and revoke are accepted and refused within a second', async () => {
    const { key, id } = await create('team');
    assert.equal(await status(key), 401);
    clock.advance(1_000);
    assert.equal(await status(key), 200);
    await table.delete(id);
    clock.advance(1_000);
    assert.equal(await status(key), 401);
    assert.deepEqual(revoked, [id]);
  });

  it('identify a team, and open only what they are for', async () => {
    const [team, metrics, agent] = [await create('team'), await create('metrics', ''), await create('agent')];
    await keys.read();
    const caller = await answer(team.key);
    assert.deepEqual(caller, { team: 'red', keyLabel: 'a team key', storedKey: team.id });
    const statuses = async (key: string) =>
      await Promise.all(['/v2/browser', '/mcp', '/metrics'].map((path) => status(key, path)));
    assert.deepEqual(await statuses(team.key), [200, 200, 403]);
    assert.deepEqual(await statuses(metrics.key), [403, 403, 200]);
    assert.deepEqual(await statuses(agent.key), [403, 200, 403]);
    assert.deepEqual(await statuses('given'), [200, 200, 403]);
    assert.deepEqual(await statuses(`${team.key}x`), [401, 401, 401]);
    assert.deepEqual(await statuses(team.key.slice(0, -1)), [401, 401, 401]);
  });

  it('are stored only as digests', async () => {
    const { key } = await create('team');
    const rows = await database.selectFrom('access_key').selectAll().execute();
    assert.equal(rows.length, 1);
    assert.ok(!JSON.stringify(rows).includes(key.slice(4)));
    assert.match(key, /^wdk-[\w-]{43}$/);
  });

  it('are read once for all requests that come together, and not at all for others', async () => {
    let reads = 0;
    const counting: KeyTable = {
      ...table,
      all: () => {
        reads++;
        return table.all();
      },
    };
    const counted = await open(counting);
    const { key } = await create('team');
    clock.advance(60_000);
    await Promise.all(Array.from({ length: 50 }, () => answer(key, '/v2/browser', counted)));
    await answer('given', '/v2/browser', counted);
    clock.advance(60_000);
    await answer('some-other-key', '/v2/browser', counted);
    assert.equal(reads, 2);
  });

  it('are refused with 503 while they cannot be read', async () => {
    let fails = false;
    const failing: KeyTable = {
      ...table,
      all: () => (fails ? Promise.reject(new DatabaseUnreachable('gone')) : table.all()),
    };
    const { key } = await create('team');
    const unsure = await open(failing);
    fails = true;
    clock.advance(1_000);
    const refusal = await answer(key, '/v2/browser', unsure);
    assert.ok(isRefusal(refusal));
    assert.equal(refusal.status, 503);
    assert.ok(!isRefusal(await answer('given', '/v2/browser', unsure)));
    fails = false;
    assert.ok(!isRefusal(await answer(key, '/v2/browser', unsure)));
  });

  it('close what they have opened when they are revoked, though nobody calls', async () => {
    const [mine, other] = [await create('team'), await create('team')];
    await keys.read();
    const closed: string[] = [];
    const releaseOther = keys.hold(other.id, () => closed.push('other'));
    const released = keys.hold(mine.id, () => closed.push('released'));
    keys.hold(mine.id, () => closed.push('mine'));
    released();
    await table.delete(mine.id);
    clock.advance(1_000);
    await keys.read();
    assert.deepEqual(closed, ['mine']);
    releaseOther();
  });

  it('are needed to listen beyond loopback without other keys', async () => {
    assert.throws(() => requireTeamKey(keys, '0.0.0.0'), /--host 0\.0\.0\.0 needs API keys .* keys create --team TEAM/);
    await create('metrics', '');
    await keys.read();
    assert.throws(() => requireTeamKey(keys, '0.0.0.0'), /needs API keys/);
    await create('team');
    await keys.read();
    requireTeamKey(keys, '0.0.0.0');
  });

  it('of agents count what several services use of a budget', async () => {
    const { id } = await create('agent');
    await table.setRules(id, { ...noRules, runs: 3 }, false);
    const caller = { team: 'red', keyLabel: 'a agent key', agentKey: id, storedKey: id };
    const nodes: AgentKeys[] = [];
    for (const stored of [keys, await open()]) {
      await stored.read();
      nodes.push(createAgentKeys({ keys: stored, shared: true, clock, log: silentLog }));
    }
    nodes[0]?.use(caller, { runs: 1 });
    nodes[1]?.use(caller, { runs: 1 });
    assert.equal(nodes[0]?.usedUp(caller), undefined);
    nodes[0]?.use(caller, { runs: 1 });
    for (const node of nodes) await node.close();
    await keys.read();
    assert.equal(nodes[0]?.usedUp(caller), '3 of 3 runs');
  });

  it('of agents count once what is read while it is being stored', async () => {
    const { id } = await create('agent');
    await table.setRules(id, { ...noRules, runs: 2 }, false);
    const caller = { team: 'red', keyLabel: 'a agent key', agentKey: id, storedKey: id };
    let reading: Promise<string | undefined> | undefined;
    const stored = await open({
      ...table,
      async addUse(...use) {
        await table.addUse(...use);
        reading = stored.read().then(() => agents.usedUp(caller));
        // Reads take turns: one that doesn't wait for the store has ended.
        for (let turn = 0; turn < 3; turn++) await table.all();
      },
    });
    const agents = createAgentKeys({ keys: stored, shared: false, clock, log: silentLog });
    agents.use(caller, { runs: 1 });
    await agents.close();
    assert.ok(reading);
    assert.equal(await reading, undefined);
    agents.use(caller, { runs: 1 });
    assert.equal(agents.usedUp(caller), '2 of 2 runs');
    stored.close();
  });

  it('of agents start again when they are reset, whatever is being stored', async () => {
    const { id } = await create('agent');
    const caller = { team: 'red', keyLabel: 'a agent key', agentKey: id, storedKey: id };
    const resumed = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const stored = await open({
      ...table,
      async addUse(...use) {
        begun.resolve();
        await resumed.promise;
        await table.addUse(...use);
      },
    });
    const agents = createAgentKeys({ keys: stored, shared: false, clock, log: silentLog });
    agents.use(caller, { runs: 1 });
    const storing = agents.close();
    await begun.promise;
    const body = { rules: { ...noRules, runs: 2 }, reset: true };
    const request = { params: { keyId: id }, query: {}, body };
    const resetting = agents.handlers.setAgentRules(request as never, { caller } as never);
    // A reset that doesn't wait for the store has been sent by then.
    for (let turn = 0; turn < 5; turn++) await table.all();
    resumed.resolve();
    await Promise.all([storing, resetting]);
    await stored.read();
    agents.use(caller, { runs: 1 });
    assert.equal(agents.usedUp(caller), undefined);
    stored.close();
  });

  it('of agents allow nothing once they are revoked', async () => {
    const agents = createAgentKeys({ keys, shared: false, clock, log: silentLog });
    const gone = { team: 'red', keyLabel: 'x', agentKey: 'revoked', storedKey: 'revoked' };
    assert.deepEqual(agents.rulesOf(gone)?.hosts, []);
    assert.equal(agents.rulesOf({ team: 'red', keyLabel: 'x' }), undefined);
  });
});

const noRules = {
  ...({ hosts: null, downloads: 'ask', passwords: 'ask', uploads: null } as const),
  runs: null,
  minutes: null,
  credits: null,
};

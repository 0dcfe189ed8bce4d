import assert from 'node:assert/strict';
import { createKeys, isRefusal, parseApiKey } from '../../../src/service/platform/http/keys.ts';

describe('API keys', () => {
  const keys = createKeys([
    { key: 'alpha-key', team: 'red' },
    { key: 'beta-key', team: 'blue' },
  ]);
  it("map to a team, and to a label that isn't the key", async () => {
    const caller = await keys.authenticate('Bearer beta-key', '/v2/browser');
    assert.ok(!isRefusal(caller));
    assert.equal(caller.team, 'blue');
    assert.equal(caller.keyLabel, 'blue');
  });
  it('are numbered within their team', async () => {
    const three = createKeys(['red', 'blue', 'blue'].map((team, index) => ({ key: `key-${index}`, team })));
    const labels = [0, 1, 2].map(async (index) => await three.authenticate(`Bearer key-${index}`, '/v2/browser'));
    assert.deepEqual(
      (await Promise.all(labels)).map((caller) => !isRefusal(caller) && caller.keyLabel),
      ['red', 'blue', 'blue 2'],
    );
  });
  for (const header of [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'bearer alpha-key',
    'Basic alpha-key',
    'Bearer  alpha-key',
    'Bearer alpha-key ',
    'Bearer alpha-kex',
    'Bearer alpha-key1',
    'Bearer alpha',
    `Bearer ${'a'.repeat(100_000)}`,
    'Bearer undefined',
  ]) {
    it(`are rejected with 401: ${String(header).slice(0, 30)} (NET-13)`, async () => {
      const judged = await keys.authenticate(header, '/v2/browser');
      assert.ok(isRefusal(judged));
      assert.equal(judged.status, 401);
    });
  }
  it("aren't required if none are set", async () => {
    const everybody = createKeys(undefined);
    for (const header of [undefined, 'Bearer', 'Bearer ', 'Bearer undefined', 'Bearer whatever']) {
      assert.ok(!isRefusal(await everybody.authenticate(header, '/v2/browser')));
    }
  });
  it('are split from KEY:TEAM at the last colon', () => {
    assert.deepEqual(parseApiKey('a:b:team'), { key: 'a:b', team: 'team' });
    assert.deepEqual(parseApiKey('plain'), { key: 'plain', team: 'default' });
  });
  for (const text of ['', ':team', 'key:', 'ke y', 'kéy', 'key\n']) {
    it(`can't be ${JSON.stringify(text)}`, () => assert.throws(() => parseApiKey(text), /KEY or KEY:TEAM/));
  }
});

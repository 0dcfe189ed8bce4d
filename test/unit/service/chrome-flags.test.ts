import assert from 'node:assert/strict';
import { chromeFlags } from '../../../src/service/browsers/chrome/flags.ts';

describe('flags of Chrome', () => {
  const options = { userDataDir: '/data', headless: true, sandbox: true };
  const unlimited = '--disable-ipc-flooding-protection';

  it('let the code of a session navigate without limit, but not the pages that one browser loads for all (F18)', () => {
    assert.ok(chromeFlags(options).includes(unlimited));
    assert.ok(!chromeFlags({ ...options, onlyLoadsPages: true }).includes(unlimited));
  });
});

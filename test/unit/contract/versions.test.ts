import assert from 'node:assert/strict';
import { isNewerVersion } from '../../../src/contract/versions.ts';

describe('versions', () => {
  it('are compared number by number', () => {
    assert.equal(isNewerVersion('0.2.0', '0.1.9'), true);
    assert.equal(isNewerVersion('0.10.0', '0.9.9'), true);
    assert.equal(isNewerVersion('1.0.0', '0.99.99'), true);
    assert.equal(isNewerVersion('0.1.0', '0.1.0'), false);
    assert.equal(isNewerVersion('0.0.9', '0.1.0'), false);
    assert.equal(isNewerVersion('1.0.1', '1.1.0'), false);
  });

  it('are never newer if they are invalid', () => {
    assert.equal(isNewerVersion('', '0.1.0'), false);
    assert.equal(isNewerVersion('latest', '0.1.0'), false);
    assert.equal(isNewerVersion('1.0.0', ''), false);
  });
});

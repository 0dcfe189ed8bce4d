import assert from 'node:assert/strict';
import { DEFAULT_SUITES } from '../../../scripts/lib/suites.mjs';
import { parseTestArguments } from '../../../scripts/lib/test-arguments.mjs';

describe('the arguments of the test script', () => {
  it('select every default suite if there are none', () => {
    assert.deepEqual(parseTestArguments([]), { suites: DEFAULT_SUITES, files: [] });
    assert.deepEqual(parseTestArguments(['-g', 'relay']), { suites: DEFAULT_SUITES, files: [], grep: 'relay' });
  });

  it('list suites in the given order', () => {
    assert.deepEqual(parseTestArguments(['ui', 'types']).suites, ['ui', 'types']);
  });

  it('can be files, whose suite can be omitted', () => {
    const files = ['test/unit/client/retry.test.ts', '/repo/test/service/http.test.ts'];
    assert.deepEqual(parseTestArguments(files), { suites: ['unit', 'service'], files });
    assert.deepEqual(parseTestArguments(['unit', 'test/unit/a.test.ts']).suites, ['unit']);
    assert.deepEqual(parseTestArguments(['test/faults/a.test.ts']).suites, ['service']);
  });

  it('can ask for PostgreSQL', () => {
    assert.deepEqual(parseTestArguments(['service', '--database']), { suites: ['service'], files: [], database: true });
  });

  it('can ask for a fleet', () => {
    assert.deepEqual(parseTestArguments(['ui', '--fleet']), { suites: ['ui'], files: [], fleet: true });
  });

  it('can set how many inputs fuzz tests try, and repeat those of a seed', () => {
    const fuzz = { suites: ['fuzz'], files: [], cases: 100_000, seed: 42 };
    assert.deepEqual(parseTestArguments(['fuzz', '--cases', '100000', '--seed', '42']), fuzz);
    assert.throws(() => parseTestArguments(['fuzz', '--cases', 'many']), { message: /whole number/ });
    assert.throws(() => parseTestArguments(['fuzz', '--seed']), { message: /whole number/ });
  });

  it('are rejected if they are unknown', () => {
    assert.throws(() => parseTestArguments(['units']), { message: /Unknown suite "units".*types, lint/ });
    assert.throws(() => parseTestArguments(['toString']), { message: /Unknown suite/ });
    assert.throws(() => parseTestArguments(['elsewhere/a.test.ts']), { message: /not in the folder of a suite/ });
    assert.throws(() => parseTestArguments(['unit', '-g']), { message: /requires a pattern/ });
  });
});

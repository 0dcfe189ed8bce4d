import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALL_SUITES, CHECKS, DEFAULT_SUITES, SUITES } from '../../../scripts/lib/suites.mjs';
import { parseTestArguments } from '../../../scripts/lib/test-arguments.mjs';
import { repository } from '../../harness/folders.ts';

describe('the arguments of the test script', () => {
  it('select every default suite and every check if there are none', () => {
    const checks = Object.keys(CHECKS);
    assert.deepEqual(parseTestArguments([]), { suites: DEFAULT_SUITES, checks, files: [] });
    const grep = { suites: DEFAULT_SUITES, checks: [], files: [], grep: 'relay' };
    assert.deepEqual(parseTestArguments(['-g', 'relay']), grep);
  });

  it('select every suite of this machine with "all"', () => {
    assert.deepEqual(parseTestArguments(['all']), { suites: ALL_SUITES, checks: Object.keys(CHECKS), files: [] });
    const others = Object.keys(SUITES).filter((name) => !ALL_SUITES.includes(name));
    // These need a desktop, or repeat a part for longer.
    assert.deepEqual(others, ['desktop', 'faults', 'soak']);
  });

  it('name files that are there', () => {
    const named = Object.values(SUITES).flatMap(({ folders, files, longest = [] }) => [
      ...longest,
      ...(files ?? []).map((file) => {
        const inFolders = folders.map((folder) => join(folder, file));
        return inFolders.find((each) => existsSync(join(repository, each))) ?? file;
      }),
    ]);
    assert.ok(named.length > 10);
    assert.deepEqual(
      named.filter((file) => !existsSync(join(repository, file))),
      [],
    );
  });

  it('list suites and checks in the given order', () => {
    assert.deepEqual(parseTestArguments(['ui', 'types', 'unit']), {
      suites: ['ui', 'unit'],
      checks: ['types'],
      files: [],
    });
  });

  it('can be files, whose suite can be omitted', () => {
    const files = ['test/unit/client/retry.test.ts', '/repo/test/service/http.test.ts'];
    assert.deepEqual(parseTestArguments(files), { suites: ['unit', 'service'], checks: [], files });
    assert.deepEqual(parseTestArguments(['unit', 'test/unit/a.test.ts']).suites, ['unit']);
    assert.deepEqual(parseTestArguments(['test/faults/a.test.ts']).suites, ['service']);
  });

  it('can ask for PostgreSQL, for a fleet, and for how many inputs fuzz tests try', () => {
    const options = { database: true, fleet: true, cases: 100_000, seed: 42 };
    const args = ['fuzz', '--database', '--fleet', '--cases', '100000', '--seed', '42'];
    assert.deepEqual(parseTestArguments(args), { suites: ['fuzz'], checks: [], files: [], ...options });
    assert.throws(() => parseTestArguments(['fuzz', '--cases', 'many']), { message: /whole number/ });
    assert.throws(() => parseTestArguments(['fuzz', '--seed']), { message: /whole number/ });
  });

  it('draw a seed from the clock only if they say so, and name none', () => {
    const now = 1_764_123_456_789;
    assert.equal(parseTestArguments(['fuzz', '--draw-seed', '--cases', '9'], now).seed, 123_456_789);
    assert.equal(parseTestArguments(['fuzz', '--draw-seed', '--seed', '42'], now).seed, 42);
    for (const args of [[], ['fuzz'], ['fuzz', '--cases', '9']])
      assert.equal(parseTestArguments(args, now).seed, undefined);
    const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
    assert.equal(scripts.fuzz, 'npm test -- fuzz --draw-seed');
    assert.doesNotMatch(scripts.test, /seed/);
  });

  it('are rejected if they are unknown', () => {
    assert.throws(() => parseTestArguments(['units']), {
      message: /Unknown suite "units".*unit, service.*types, lint/,
    });
    assert.throws(() => parseTestArguments(['toString']), { message: /Unknown suite/ });
    assert.throws(() => parseTestArguments(['elsewhere/a.test.ts']), { message: /not in the folder of a suite/ });
    assert.throws(() => parseTestArguments(['unit', '-g']), { message: /requires a pattern/ });
  });
});

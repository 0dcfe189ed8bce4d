import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogue } from '../../faults/catalogue.ts';
import { repository } from '../../harness/folders.ts';

const id = /\b(?:F\d+|[A-Z]{2,3}-\d\d)\b/g;

/** Ids in titles of tests, each with the files. */
function tested(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const file of globSync('test/**/*.test.ts', { cwd: repository })) {
    const source = readFileSync(join(repository, file), 'utf8');
    for (const [, , title = ''] of source.matchAll(/^\s*(?:describe|it)\(\s*(['"`])((?:\\.|(?!\1).)+)\1/gm)) {
      for (const [name] of title.matchAll(id)) found.set(name, [...(found.get(name) ?? []), file]);
    }
  }
  return found;
}

/** Ids in the list of docs/security.md, each with the sentences on it. */
function notApplicable(): Map<string, string> {
  const text = readFileSync(join(repository, 'docs', 'security.md'), 'utf8');
  const [, section = ''] = /^## What does not apply\?\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(text) ?? [];
  const lines = section.split('\n').filter((line) => line.startsWith('- '));
  return new Map(lines.flatMap((line) => [...line.matchAll(id)].map(([name]) => [name, line] as const)));
}

describe('the catalogue of attacks and faults', () => {
  it('has a test for each, or a reason in docs/security.md why it does not apply', () => {
    const inTests = tested();
    const inDocs = notApplicable();
    assert.deepEqual(
      Object.keys(catalogue).filter((name) => !inTests.has(name) && !inDocs.has(name)),
      [],
    );
    for (const [name, reason] of inDocs) {
      assert.ok(!inTests.has(name), `${name} is tested in ${inTests.get(name)}`);
      assert.match(reason, /^- .{20,}: .{20,}\.$/, name);
    }
  });

  it('lists every id that a test or the docs name', () => {
    const named = [...tested().keys(), ...notApplicable().keys()];
    assert.deepEqual(
      named.filter((name) => !Object.hasOwn(catalogue, name)),
      [],
    );
  });
});

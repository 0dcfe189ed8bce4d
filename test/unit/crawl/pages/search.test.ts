import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findMatches } from '../../../../src/service/web/crawl/pages/search/matches.ts';
import { expressionOf, termsOf } from '../../../../src/service/web/crawl/pages/search/query.ts';
import { openSearchIndex } from '../../../../src/service/web/crawl/pages/search/search-index.ts';
import { temporaryFolder } from '../../../harness/folders.ts';

describe('page search queries', () => {
  for (const [query, expected] of [
    ['red fox', '"red" AND "fox" *'],
    ['red fox ', '"red" AND "fox"'],
    ['"red fox"', '"red fox"'],
    ['"red fox', '"red fox"'],
    ['well-known', '"well known" *'],
    ['Café', '"cafe" *'],
    ['a', '"a"'],
    ['x OR y NOT z*', '"x" AND "or" AND "y" AND "not" AND "z"'],
    ['日本', '"日 本"'],
    ['"*" ^ {}', ''],
    ['red Red "red fox" red', '"red" AND "red fox"'],
    ['red fox red', '"red" AND "fox"'],
    // However many words a phrase has, a search costs no more than that of 16.
    [`"${'a '.repeat(499)}b" c `, `"${'a '.repeat(16).trim()}" AND "c"`],
    // So do all phrases together.
    [
      Array.from({ length: 29 }, (_, at) => `"${at} ${'a '.repeat(14)}"`).join(' '),
      `"0 ${'a '.repeat(14).trim()}" AND "1 ${'a '.repeat(14).trim()}" AND "2 a"`,
    ],
  ] as const) {
    it(`read ${query.slice(0, 40)} as ${expected.slice(0, 50) || 'nothing'}`, () =>
      assert.equal(expressionOf(termsOf(query)), expected));
  }
});

describe('matches on a page', () => {
  const find = (text: string, query: string) => findMatches(text, termsOf(query));

  it('are lines with their columns', () => {
    assert.deepEqual(find('one\r\n\nThe Éclair is here', 'eclair'), {
      matches: [{ line: 3, column: 5, length: 6, text: 'The Éclair is here', textColumn: 5 }],
      moreMatches: false,
    });
  });

  it('are whole words; the last word matches as a prefix', () => {
    assert.deepEqual(find('concatenate', 'cat').matches, []);
    assert.equal(find('category', 'cat').matches.length, 1);
    assert.deepEqual(find('category', 'cat ').matches, []);
    assert.deepEqual(find('red big fox', '"red fox"').matches, []);
    assert.equal(find('a red, fox', '"red fox"').matches[0]?.length, 8);
  });

  it('are the lines with the most words, if there are many', () => {
    const text = [...Array.from({ length: 100 }, () => 'policy'), 'payment retry policy'].join('\n');
    const { matches, moreMatches } = find(text, 'payment retry policy');
    assert.equal(matches.length, 20);
    assert.equal(matches.at(-1)?.line, 101);
    assert.equal(moreMatches, true);
  });

  it('show long lines around the match, without splitting a character', () => {
    const line = `${'😀'.repeat(500)} needle ${'😀'.repeat(500)}`;
    const [match] = find(line, 'needle').matches;
    assert.ok(match);
    assert.equal(match.column, 1002);
    assert.ok(match.text.length < 250);
    assert.equal(match.text.substring(match.textColumn - 1, match.textColumn - 1 + match.length), 'needle');
    assert.ok(match.text.isWellFormed());
  });

  it('take linear time on hostile text', () => {
    find('a'.repeat(4_000_000), 'aa');
    find('a '.repeat(2_000_000), '"a a a b"');
    find('\n'.repeat(4_000_000), 'x');
  });
});

describe('the search index', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const jobs = [
    { num: 1, id: '11111111-0000-4000-8000-000000000000', documents: 2 },
    { num: 2, id: '22222222-0000-4000-8000-000000000000', documents: 1 },
  ] as const;
  const whole = { team: 'red', only: undefined, expired: [], skip: 0 };
  const page = (row: number, title: string, text: string) => ({ row, place: row, title, url: 'https://x.test/', text });

  it('separates teams and jobs, ranks titles first, and deletes a job completely', async () => {
    const index = openSearchIndex(join(folder, 'index.sqlite'));
    await index.add(jobs[0], 'red', [page(1, 'Other', 'the fox is here'), page(2, 'Fox', 'nothing else')]);
    await index.add(jobs[1], 'blue', [page(3, 'Fox', 'the fox again')]);
    const search = async (team: string, only?: string, expired: string[] = []) =>
      (await index.search('"fox"', { team, only, expired, skip: 0, count: 10 })).rows;
    assert.deepEqual(await search('red'), [2, 1]);
    assert.deepEqual(await search('blue'), [3]);
    assert.deepEqual(await search('green'), []);
    assert.deepEqual(await search('blue', jobs[0].id), [2, 1]);
    assert.deepEqual(await search('red', undefined, [jobs[0].id]), []);
    assert.deepEqual((await index.search('"scope" OR "red"', { ...whole, count: 10 })).rows, []);
    assert.equal((await index.progress(jobs[0].id)).pages, 2);
    assert.equal(await index.remove(jobs[0].id, 1), true);
    while (await index.remove(jobs[0].id, 1));
    assert.deepEqual(await search('red'), []);
    assert.deepEqual(await index.jobs(), [jobs[1].id]);
    await index.close();
  });

  it('replaces a damaged file', async () => {
    const path = join(folder, 'index.sqlite');
    writeFileSync(path, 'this is not a database, but long enough to be taken for one');
    const index = openSearchIndex(path);
    await index.add(jobs[0], 'red', [page(1, 'Fox', '')]);
    assert.equal((await index.search('"fox"', { ...whole, count: 1 })).total, 1);
    await index.close();
  });
});

import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { createCommits } from '../../../../src/service/crawl/store/commits.ts';

describe('commits', () => {
  let database: DatabaseSync;
  beforeEach(() => {
    database = new DatabaseSync(':memory:');
    database.exec('CREATE TABLE entry (name TEXT PRIMARY KEY)');
  });
  afterEach(() => database.close());
  const add = (name: string) => () => void database.prepare('INSERT INTO entry VALUES (?)').run(name);
  const names = () =>
    database
      .prepare('SELECT name FROM entry ORDER BY name')
      .all()
      .map(({ name }) => name);
  const nothing = () => undefined;

  it('store a group together, then confirm it', async () => {
    const commits = createCommits(database);
    const both = Promise.all([commits.run(add('a'), nothing), commits.run(add('b'), nothing)]);
    assert.deepEqual(names(), []);
    await both;
    assert.deepEqual(names(), ['a', 'b']);
  });

  it('keep the successful ones and roll back the failed one', async () => {
    const commits = createCommits(database);
    const undone: string[] = [];
    const results = await Promise.allSettled([
      commits.run(add('a'), () => undone.push('a')),
      commits.run(
        () => {
          add('half')();
          add('a')();
        },
        () => undone.push('half'),
      ),
      commits.run(add('c'), () => undone.push('c')),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(names(), ['a', 'c']);
    assert.deepEqual(undone, ['a', 'half', 'c', 'half']);
  });

  it('can be flushed early', () => {
    const commits = createCommits(database);
    void commits.run(add('a'), nothing);
    commits.flush();
    assert.deepEqual(names(), ['a']);
  });
});

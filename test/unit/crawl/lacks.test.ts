import assert from 'node:assert/strict';
import { createLacks, lacksText } from '../../../src/service/web/crawl/lacks.ts';

describe('what the pages of a crawl lack', () => {
  const urlOf = (number: number) => `https://site.test/${'a'.repeat(200)}${number}${'z'.repeat(200)}`;

  it('is said of the first page, with the number of others, also of those read before a restart', () => {
    const first = createLacks();
    for (const number of [1, 2, 3, 1]) first.add(urlOf(number), 'A list goes on.');
    assert.match(
      lacksText(first.all(), 'Lacking: '),
      /^Lacking: https:\S+…z+: A list goes on\. The same is true of 2 more of the pages read\.$/,
    );
    first.add('https://site.test/odd', 'It ends in ": [". The same is true of 7 more of the pages read.\nAnd goes on.');
    const second = createLacks(JSON.parse(JSON.stringify(first.all())));
    assert.deepEqual(second.all(), first.all());
    second.add(urlOf(1), 'A list goes on.');
    assert.deepEqual(second.all(), first.all());
    second.add('https://site.test/', 'A list goes on.');
    assert.match(lacksText(second.all()), / of 3 more /);
  });

  it('is said of each script whose pages differ in their queries, of which one may be a list', () => {
    const lacks = createLacks();
    for (const path of [
      'print.php?tid=1',
      'print.php?tid=2',
      'forum.php?fid=5',
      'mail',
      'team',
      'a.html?c=1',
      'b.html?c=1',
    ])
      lacks.add(`https://site.test/${path}`, 'It is mainly a login.');
    assert.deepEqual(
      lacks.all().map(({ url, pages }) => `${url.slice(18)} ${pages}`),
      ['print.php?tid=1 2', 'forum.php?fid=5 1', 'mail 4'],
    );
  });
});

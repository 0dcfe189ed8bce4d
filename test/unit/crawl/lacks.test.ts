import assert from 'node:assert/strict';
import { createLacks } from '../../../src/service/web/crawl/lacks.ts';

describe('what the pages of a crawl lack', () => {
  const urlOf = (number: number) => `https://site.test/${'a'.repeat(200)}${number}${'z'.repeat(200)}`;

  it('is said of the first page, with the number of others, also of long URLs and of those read before a restart', () => {
    const first = createLacks('Lacking: ');
    for (const number of [1, 2, 3, 1]) first.add(urlOf(number), 'A list goes on.');
    assert.match(
      first.text(),
      /^Lacking: https:\S+…z+: A list goes on\. The same is true of 2 more of the pages read\.$/,
    );
    const second = createLacks('Lacking: ', first.text());
    assert.equal(second.text(), first.text());
    second.add(urlOf(1), 'A list goes on.');
    assert.equal(second.text(), first.text());
    second.add('https://site.test/', 'A list goes on.');
    assert.match(second.text(), / of 3 more /);
  });
});

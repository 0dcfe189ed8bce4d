import assert from 'node:assert/strict';
import { orderKey, textOfKey } from '../../../src/contract/crawl/page-order.ts';

describe('the order of pages', () => {
  const texts = [
    '',
    'https://a.test/',
    'https://a.test:8080/p/0',
    'https://a.test:8080/p/1',
    'https://a.test:8080/p/01',
    'https://a.test:8080/p/001?page=2#3',
    'https://a.test:8080/p/12345678',
    'https://a.test:8080/p/123456789',
    `https://a.test:8080/p/${'9'.repeat(100)}/0000`,
  ];

  it('has a reversible key for each text', () => {
    for (const text of texts) assert.equal(textOfKey(orderKey(text)), text);
    assert.equal(new Set(texts.map(orderKey)).size, texts.length);
  });

  it('sorts numbers by their value, however long they are', () => {
    const sorted = [
      'a',
      'a0',
      'a2',
      'a10',
      'a99999999',
      'a100000000',
      `a${'9'.repeat(17)}`,
      `a${'9'.repeat(18)}`,
      'b1',
    ];
    assert.deepEqual(
      [...sorted].reverse().sort((one, other) => (orderKey(one) < orderKey(other) ? -1 : 1)),
      sorted,
    );
  });

  it('keeps the pages of a folder together', () => {
    assert.ok(orderKey('https://a.test/v10/1').startsWith(orderKey('https://a.test/v10/')));
    assert.ok(!orderKey('https://a.test/v10/1').startsWith(orderKey('https://a.test/v1')));
  });
});

import assert from 'node:assert/strict';
import { editDistance, nearWords } from '../../../../src/service/assistants/docs-search/question/spelling.ts';
import { formsOf, stem, termsOf } from '../../../../src/service/assistants/docs-search/question/terms.ts';

describe('terms', () => {
  it('of an identifier are itself, its members and their parts', () => {
    assert.deepEqual(formsOf('data.metadata.scrapeId'), [
      'data.metadata.scrapeid',
      'data',
      'metadata',
      'scrapeid',
      'scrap',
      'id',
    ]);
    assert.deepEqual(formsOf('X-Service-Signature'), ['x-service-signature', 'x', 'servic', 'signatur']);
    assert.deepEqual(formsOf('activityTtl'), ['activityttl', 'activity', 'ttl']);
  });

  it('match inflected forms of a word', () => {
    for (const words of [
      ['run', 'runs', 'running', 'ran'],
      ['stop', 'stopped', 'stops', 'stopping'],
      ['delete', 'deleted', 'deletes', 'deleting', 'deletion'],
      ['retry', 'retries', 'retried', 'retrying'],
      ['expire', 'expires', 'expired', 'expiry'],
      ['status'],
      ['canvas'],
    ]) {
      assert.equal(new Set(words.map(stem)).size, 1, words.join(' '));
    }
    assert.notEqual(stem('status'), stem('stat'));
  });

  it('of numbers are the same with and without separators', () => {
    assert.deepEqual(termsOf('100,000'), termsOf('100000'));
  });
});

describe('spelling', () => {
  const words = ['timeout', 'activity', 'session', 'webhook', 'same', 'save'];

  for (const [typed, meant] of [
    ['tiemout', 'timeout'],
    ['activty', 'activity'],
    ['sesion', 'session'],
    ['webhokk', 'webhook'],
  ] as const) {
    it(`${typed} is ${meant}`, () => assert.deepEqual(nearWords(typed, words), [meant]));
  }

  it('leaves short words, numbers and distant words unchanged', () => {
    for (const word of ['sale', 'v2', 'kubernetes', '404']) assert.deepEqual(nearWords(word, words), []);
  });

  it('counts swapped neighbors as one edit, and stops early', () => {
    assert.equal(editDistance('abcd', 'abdc', 2), 1);
    assert.equal(editDistance('abc', 'xyz', 1), 2);
    assert.equal(editDistance('', 'ab', 3), 2);
  });
});

import assert from 'node:assert/strict';
import { formsOf, isStopWord, termsOf } from '../../../../src/service/assistants/docs-search/index/words.ts';

describe('terms', () => {
  it('of an identifier are itself and its parts', () => {
    assert.deepEqual(formsOf('data.metadata.scrapeId'), [
      'data.metadata.scrapeid',
      'data',
      'metadata',
      'scrapeid',
      'scrape',
      'id',
    ]);
    assert.deepEqual(formsOf('X-Service-Signature'), ['x-service-signatur', 'servic', 'signatur']);
    assert.deepEqual(formsOf('activityTtl'), ['activityttl', 'activ', 'ttl']);
    assert.deepEqual(formsOf('HTTPServer'), ['httpserver', 'http', 'server']);
    assert.deepEqual(termsOf('POST /v2/browser'), ['post', 'v2/browser', 'v2', 'browser']);
  });

  it('match inflected forms of a word', () => {
    for (const words of [
      ['run', 'runs', 'running'],
      ['stop', 'stopped', 'stops', 'stopping'],
      ['delete', 'deleted', 'deletes', 'deleting', 'deletion'],
      ['retry', 'retries', 'retried', 'retrying'],
      ['expire', 'expires', 'expired'],
    ]) {
      assert.equal(new Set(words.map((word) => formsOf(word)[0])).size, 1, words.join(' '));
    }
    assert.notEqual(formsOf('status')[0], formsOf('stat')[0]);
  });

  it('of numbers are the same with and without separators', () => {
    assert.deepEqual(termsOf('100,000'), termsOf('100000'));
  });

  it('take VS Code for one word', () => {
    for (const name of ['VS Code', 'Visual Studio Code']) assert.equal(termsOf(name)[0], termsOf('VSCode')[0]);
    assert.ok(!termsOf('my code').includes(termsOf('VSCode')[0] ?? ''));
  });

  it('leave out contractions, with and without their apostrophe', () => {
    for (const word of ["don't", 'don’t', 'dont', 'whats', 'cant']) assert.ok(isStopWord(word), word);
    assert.deepEqual(termsOf('what does it do with a session'), ['session']);
  });

  it('are read of letters with very many accents (TRN-06)', () => {
    const accents = '\u0301\u0327'.repeat(300_000);
    assert.equal(termsOf(`page${accents} crawl`).at(-1), 'crawl');
    assert.deepEqual(termsOf('cre\u0301er'), termsOf('cr\u00e9er'));
  });
});

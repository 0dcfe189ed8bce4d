import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startCrawlBody } from '../../../src/contract/crawl/crawl-jobs.ts';
import {
  draftOf,
  formatParameters,
  missingCommas,
  parameterOffsets,
  readDraft,
  stillFromSentence,
} from '../../../src/extension/crawls/draft/draft.ts';
import { crawlOptionNames as known } from '../../../src/extension/crawls/draft/parameter-names.ts';
import { repository } from '../../harness/folders.ts';

const url = 'https://docs.test/';
const options = { known, translatesDepth: false };

function valuesOf(text: string): Record<string, unknown> {
  const read = readDraft(text);
  assert.ok('values' in read, 'problem' in read ? read.problem : '');
  return read.values;
}

describe('the draft of a crawl', () => {
  it('can be started unchanged', () => {
    const { text, fromSentence } = draftOf(url, undefined, options);
    const parsed = startCrawlBody.safeParse(valuesOf(text));
    assert.ok(parsed.success, parsed.error?.message);
    assert.equal(parsed.data?.url, url);
    assert.deepEqual(fromSentence, {});
  });

  it('contains what the sentence set, and marks it', () => {
    const generated = { url, includePaths: ['docs/.*'], limit: 20, sitemap: 'include', maxDiscoveryDepth: null };
    const { text, fromSentence } = draftOf(url, generated, { ...options, sentence: 'the docs' });
    assert.deepEqual(fromSentence, { includePaths: ['docs/.*'], limit: 20 });
    const values = valuesOf(text);
    assert.deepEqual([values.includePaths, values.limit], [['docs/.*'], 20]);
  });

  it('keeps the parts of the sentence that no parameter expresses', () => {
    const draft = draftOf(url, { limit: 5 }, { ...options, sentence: 'x', notUnderstood: ['with screenshots'] });
    assert.deepEqual(draft.notUnderstood, ['with screenshots']);
    assert.equal(draftOf(url, { limit: 5 }, { ...options, sentence: 'x', notUnderstood: [] }).notUnderstood, undefined);
  });

  it('gets the commas that a completed member needs', () => {
    const at = (text: string) => missingCommas(text.replace('|', ''), text.indexOf('|'), text.indexOf('|'));
    assert.deepEqual(at('{\n  |\n  "url": "x"\n}'), { before: false, after: true });
    assert.deepEqual(at('{\n  "url": "x"\n  |\n}'), { before: true, after: false });
    assert.deepEqual(at('{ "url": "x",\n  |, "limit": 1 }'), { before: false, after: false });
    assert.deepEqual(at('{ "webhook": |\n "limit": 1 }'), { before: false, after: true });
  });

  it('starts with the keys that run a file', () => {
    const { contributes } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
    const keysOf = (id: string) => {
      const { key, mac } = contributes.keybindings.find(({ command }: { command: string }) => command === id);
      return { key, mac };
    };
    assert.deepEqual(keysOf('webdata.submitCrawl'), keysOf('webdata.runFile'));
  });

  it("leaves out parameters that can't start a crawl", () => {
    const generated = { maxDepth: 2, invented: 'x', __proto__: { polluted: true } } as never;
    const { fromSentence } = draftOf(url, generated, options);
    assert.deepEqual(fromSentence, { maxDepth: 2 });
    const remote = draftOf(url, generated, { known, translatesDepth: true });
    assert.deepEqual(remote.fromSentence, { maxDiscoveryDepth: 2 });
  });

  it('has one parameter per line', () => {
    const text = formatParameters({
      url,
      includePaths: ['a', 'b'],
      scrapeOptions: { formats: ['markdown'] },
      long: ['x'.repeat(200)],
    });
    assert.deepEqual(text.split('\n').slice(0, 4), [
      '{',
      `  "url": "${url}",`,
      '  "includePaths": ["a", "b"],',
      '  "scrapeOptions": { "formats": ["markdown"] },',
    ]);
    assert.equal(JSON.parse(text).long[0].length, 200);
  });
});

describe('an edited draft', () => {
  it('is read without empty lists', () => {
    assert.deepEqual(valuesOf('{"url":"x","includePaths":[],"$schema":"y"}'), { url: 'x' });
  });

  it('reports invalid JSON', () => {
    const read = readDraft('{\n  "url": "x",\n}');
    assert.ok('problem' in read);
    assert.match(read.problem, /^The crawl parameters aren't valid JSON: .+\.$/);
    assert.equal(read.offset, 16);
    for (const text of ['', '[]', 'null', '7', '{"a"', '\ufeff{}']) assert.ok('problem' in readDraft(text), text);
  });

  it('has its parameters found in short time, whatever string has no end (EXT-27)', () => {
    const text = `{ "a": 1,\n"${'\\"'.repeat(300_000)}\n"b": 2 }`;
    assert.deepEqual([...parameterOffsets(text).keys()], ['a', 'b']);
  });

  it('gives the positions of its top-level parameters', () => {
    const text = '{ "url": "}{\\"limit\\":", "scrapeOptions": { "limit": 1 }, "limit" : 2, "tags": ["url"] }';
    assert.deepEqual([...parameterOffsets(text).keys()], ['url', 'scrapeOptions', 'limit', 'tags']);
    assert.equal(text.indexOf('"limit" :'), parameterOffsets(text).get('limit'));
    assert.deepEqual([...parameterOffsets('{ "a": 1, "b').keys()], ['a']);
    assert.deepEqual([...parameterOffsets('{ "a": ["b, "c"],\n"d": 1').keys()], ['a', 'd']);
  });

  it("keeps the marks of the sentence's values until they are changed", () => {
    const { text, fromSentence } = draftOf(url, { limit: 20, includePaths: ['a'] }, options);
    assert.deepEqual(stillFromSentence(text, fromSentence), ['limit', 'includePaths']);
    assert.deepEqual(stillFromSentence(text.replace('20', '21'), fromSentence), ['includePaths']);
    assert.deepEqual(stillFromSentence(text.replace('20,', ','), fromSentence), ['limit', 'includePaths']);
  });
});

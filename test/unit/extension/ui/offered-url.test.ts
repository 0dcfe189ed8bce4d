import assert from 'node:assert/strict';
import { offeredUrl } from '../../../../src/extension/ui/ask-url/offered-url.ts';
import { typedUrl } from '../../../../src/extension/ui/ask-url/typed-url.ts';

describe('suggested addresses', () => {
  it('are the one under the cursor', () => {
    const line = 'see https://docs.test/guide(a), or (https://other.test/b).';
    const offered = (character: number) => offeredUrl({ line, character, selection: '' });
    assert.equal(offered(10), 'https://docs.test/guide(a)');
    assert.equal(offered(40), 'https://other.test/b');
    assert.equal(offered(0), undefined);
  });

  it('are the selected one rather than that of the line', () => {
    const found = { line: 'https://line.test', character: 3, selection: ' https://sel.test' };
    assert.equal(offeredUrl(found), 'https://sel.test/');
  });

  it('are only web addresses', () => {
    const secrets = [
      'hunter2',
      'javascript:alert(1)',
      'file:///etc/passwd',
      'https://user:pass@host.test',
      'https://a b',
    ];
    for (const selection of [...secrets, `https://a.test/${'x'.repeat(5_000)}`]) {
      assert.equal(offeredUrl({ line: '', character: 0, selection }), undefined, selection.slice(0, 50));
    }
  });
});

describe('an entered address', () => {
  it('needs no scheme', () => {
    assert.equal(typedUrl('docs.test'), 'https://docs.test/');
    assert.equal(typedUrl('docs.test:8080/a?b#c'), 'https://docs.test:8080/a?b#c');
    assert.equal(typedUrl('http://127.0.0.1:3000/x'), 'http://127.0.0.1:3000/x');
    assert.equal(typedUrl('localhost:3000'), 'http://localhost:3000/');
    assert.equal(typedUrl('bücher.test'), 'https://xn--bcher-kva.test/');
  });

  it('is rejected for other schemes, words and incomplete addresses', () => {
    for (const text of [
      '',
      'docs',
      'two words',
      'javascript:alert(1)',
      'ftp://a.test',
      'https://',
      'a@b.test',
      'mailto:a.test',
      'https://user:pass@host.test',
    ])
      assert.equal(typedUrl(text), undefined, text);
  });

  it('are found in short time in a long line', () => {
    for (const tail of [')'.repeat(60_000), `${'.'.repeat(60_000)}a`]) {
      const line = `https://a.test/${tail} https://b.test/`;
      assert.equal(offeredUrl({ line, character: line.length - 3, selection: '' }), 'https://b.test/');
    }
  });
});

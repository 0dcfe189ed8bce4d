import assert from 'node:assert/strict';
import { offeredUrls } from '../../../../src/extension/ui/ask-url/offered-urls.ts';
import { typedUrl } from '../../../../src/extension/ui/ask-url/typed-url.ts';

describe('suggested addresses', () => {
  it('are the one under the cursor', () => {
    const line = 'see https://docs.test/guide(a), or (https://other.test/b).';
    const offered = (character: number) => offeredUrls({ line, character, selection: '' });
    assert.deepEqual(offered(10), [{ url: 'https://docs.test/guide(a)', from: 'under the cursor' }]);
    assert.deepEqual(offered(40), [{ url: 'https://other.test/b', from: 'under the cursor' }]);
    assert.deepEqual(offered(0), []);
  });

  it('are the selected one rather than that of the line', () => {
    const found = { line: 'https://line.test', character: 3, selection: ' https://sel.test' };
    assert.deepEqual(offeredUrls(found), [{ url: 'https://sel.test/', from: 'under the cursor' }]);
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
      assert.deepEqual(offeredUrls({ line: '', character: 0, selection }), [], selection.slice(0, 50));
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
      const found = offeredUrls({ line, character: line.length - 3, selection: '' });
      assert.deepEqual(
        found.map(({ url }) => url),
        ['https://b.test/'],
      );
    }
  });
});

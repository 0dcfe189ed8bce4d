import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { harmOf } from '../../../src/service/browsers/chrome/relay/harmless.ts';

const opening = (url: unknown) => harmOf({ id: 1, method: 'Page.navigate', params: { url } });

describe('what CDP clients may open where addresses are checked', () => {
  it('is pages, files of the machine and blank pages', () => {
    for (const url of ['https://example.com/', 'about:blank', 'data:text/html,a', 'file:///etc/hostname', '']) {
      assert.equal(opening(url), undefined, url);
      assert.equal(harmOf({ method: 'Target.createTarget', params: { url } }), undefined, url);
    }
  });

  it("isn't a page of Chrome, nor what only Chrome reads as one (CDP-09)", () => {
    const ports = [
      'chrome://inspect:99999',
      'chrome://inspect:99999/',
      'chrome://inspect:a',
      ' chrome://inspect:99999',
    ];
    const names = ['chrome://ins pect', 'chrome://inspect', 'devtools://devtools/a:99999', 'view-source:http://a'];
    for (const url of [...ports, ...names]) {
      assert.match(opening(url) ?? '', /isn't a valid URL|can't be opened/, url);
      assert.match(harmOf({ method: 'Target.createTarget', params: { url } }) ?? '', /isn't a valid|can't be/, url);
    }
  });

  it("isn't a file of another machine (CDP-09)", () => {
    for (const url of ['file://host/share', 'file:////host/share', 'file:///\\host\\share', 'file:\\\\\\\\host\\share'])
      assert.match(opening(url) ?? '', /can't be opened/, url);
  });
});

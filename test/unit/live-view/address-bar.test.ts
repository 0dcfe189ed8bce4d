import assert from 'node:assert/strict';
import { parseAddress } from '../../../src/service/browsers/live-view/address-bar.ts';

describe('addresses entered in the address bar', () => {
  const good: [string, string][] = [
    ['https://example.test/a b', 'https://example.test/a%20b'],
    ['HTTP://Example.test', 'http://example.test/'],
    ['example.test/path?q=1', 'https://example.test/path?q=1'],
    [' example.test ', 'https://example.test/'],
    ['localhost:3000', 'http://localhost:3000/'],
    ['127.0.0.1:8080/x', 'http://127.0.0.1:8080/x'],
    ['[::1]:8080', 'http://[::1]:8080/'],
    ['example.test:8443', 'https://example.test:8443/'],
    ['about:blank', 'about:blank'],
  ];
  for (const [entered, url] of good) it(`${entered} is ${url}`, () => assert.equal(parseAddress(entered), url));
  const bad = [
    'file:///etc/passwd',
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,x',
    'chrome://settings',
    'devtools://devtools/bundled/inspector.html',
    'view-source:https://example.test',
    'about:config',
    'blob:https://example.test/x',
    'ftp://example.test',
    'two words',
    'word',
    '',
    'https://',
  ];
  for (const entered of bad) {
    it(`${entered || 'nothing'} is opened only as that`, () => assert.equal(parseAddress(entered), undefined));
  }
});

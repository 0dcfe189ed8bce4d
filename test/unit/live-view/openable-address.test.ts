import assert from 'node:assert/strict';
import { openableAddress } from '../../../src/extension/live-view/view-source.ts';

const service = 'http://127.0.0.1:4567';

describe('an address from a server that is opened (EXT-07)', () => {
  it('is https anywhere, or http of the service on this machine', () => {
    assert.equal(openableAddress('https://live.example.com/s/1', service)?.host, 'live.example.com');
    assert.equal(openableAddress(`${service}/live/x`, service)?.port, '4567');
  });

  const refused = [
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,<script>',
    'file:///etc/passwd',
    'vscode://ext/cmd',
    'command:workbench.action.terminal.new',
    'vscode-webview://x',
    'blob:https://a/b',
    'http://169.254.169.254/latest',
    'http://127.0.0.1:4568/live',
    'http://localhost:4567/live',
    'https://user@evil.example',
    'https://user:word@evil.example',
    `https://a.example/${'x'.repeat(1_000_000)}`,
    '',
    7,
    null,
    { href: 'https://a.example' },
  ];
  for (const address of refused) {
    it(`is not ${String(address).slice(0, 40).replace('\n', ' ')}`, () => {
      assert.equal(openableAddress(address, service), undefined);
    });
  }

  it('is never http for a remote server', () => {
    assert.equal(openableAddress('http://api.example.com/live', 'http://api.example.com'), undefined);
  });
});

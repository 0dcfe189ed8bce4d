import assert from 'node:assert/strict';
import { viewSource } from '../../../src/extension/live-view/view-source.ts';

const base = 'http://127.0.0.1:4000';
const session = {
  id: 'abc',
  shortId: 'abc',
  name: undefined,
  status: 'active',
  endReason: undefined,
  liveViewUrl: `${base}/live/abc/watch` as string | undefined,
  interactiveLiveViewUrl: `${base}/live/abc/control` as string | undefined,
};
const embedded = { embedded: true, baseUrl: base, control: false };
const server = { embedded: false, baseUrl: 'https://api.example.test/v1', control: false };
const secure = { liveViewUrl: 'https://live.example.test/w', interactiveLiveViewUrl: 'https://live.example.test/c' };

/** Addresses that no server gets opened. */
const bad: [string, unknown][] = [
  ['javascript:', 'javascript:alert(1)'],
  ['javascript: after a space', ' javascript:alert(1)'],
  ['javascript: with a line feed in it', 'java\nscript:alert(1)'],
  ['data:', 'data:text/html,<script>1</script>'],
  ['file:', 'file:///etc/passwd'],
  ['vscode:', 'vscode://ext/cmd'],
  ['command:', 'command:workbench.action.terminal.new'],
  ['vscode-webview:', 'vscode-webview://abc/index.html'],
  ['blob:', 'blob:https://live.example.test/uuid'],
  ['plain http to another machine', 'http://169.254.169.254/latest/meta-data'],
  ['plain http to another port of this one', 'http://127.0.0.1:1/live/a/b'],
  ['user info', 'https://u@evil.test/'],
  ['a megabyte', `https://live.example.test/${'x'.repeat(1_000_000)}`],
  ['a number', 42],
  ['an object', { href: 'https://live.example.test' }],
];

describe('showing a session', () => {
  it('uses pictures if the embedded service has it', () => {
    const source = viewSource(session, embedded);
    assert.equal(source.kind, 'frames');
    assert.equal(source.kind === 'frames' && source.watch.href, session.liveViewUrl);
  });

  it('uses its page on another server, read-only unless control was taken', () => {
    const watching = viewSource({ ...session, ...secure }, server);
    assert.deepEqual(watching.kind === 'page' && [watching.address.href, watching.control, watching.canControl], [
      secure.liveViewUrl,
      false,
      true,
    ]);
    const acting = viewSource({ ...session, ...secure }, { ...server, control: true });
    assert.equal(acting.kind === 'page' && acting.address.href, secure.interactiveLiveViewUrl);
    // Or its pictures, if it has a socket at the same URLs.
    assert.ok(watching.kind === 'page');
    assert.deepEqual(
      [watching.frames.watch.href, watching.frames.control?.href],
      [secure.liveViewUrl, secure.interactiveLiveViewUrl],
    );
  });

  for (const [name, url] of bad) {
    it(`is refused with ${name} as its address (EXT-06)`, () => {
      for (const field of ['liveViewUrl', 'interactiveLiveViewUrl']) {
        for (const where of [server, embedded]) {
          const good = where.embedded ? session : { ...session, ...secure };
          const source = viewSource({ ...good, [field]: url as string }, where);
          assert.equal(source.kind, 'nothing', `${field} ${where.embedded}`);
          assert.match(source.kind === 'nothing' ? source.reason : '', /invalid live view URL/);
          assert.doesNotMatch(source.kind === 'nothing' ? source.reason : '', /script|evil|169/);
        }
      }
    });
  }

  it('is refused if the embedded service returns another origin, even a safe one', () => {
    const source = viewSource({ ...session, liveViewUrl: 'https://live.example.test/w' }, embedded);
    assert.equal(source.kind, 'nothing');
  });

  it('is refused if it is unknown, has ended, or has no live view', () => {
    const reason = (given: Parameters<typeof viewSource>[0]) => {
      const source = viewSource(given, embedded);
      return source.kind === 'nothing' ? source.reason : '';
    };
    assert.match(reason(undefined), /no longer exists/);
    assert.match(reason({ ...session, status: 'destroyed', endReason: 'expired' }), /ended: expired/);
    assert.match(reason({ ...session, liveViewUrl: undefined, interactiveLiveViewUrl: undefined }), /no live view/);
  });
});

import assert from 'node:assert/strict';
import { statusTexts } from '../../../../src/extension/connection/status-bar/status-texts.ts';
import { targetOf } from '../../../../src/extension/connection/target.ts';

describe('the target in the settings', () => {
  it('is the embedded service if none is set', () => {
    for (const setting of ['', '  ', 'nonsense', 'javascript:alert(1)', 'ftp://a.example', 'http://']) {
      assert.deepEqual(targetOf(setting), { kind: 'embedded' });
    }
  });

  it('is a server with its path prefix, bound to its origin', () => {
    assert.deepEqual(targetOf(' https://api.example.com:8443/base/ '), {
      kind: 'server',
      baseUrl: 'https://api.example.com:8443/base',
      origin: 'https://api.example.com:8443',
      host: 'api.example.com:8443',
    });
  });
});

describe('the status bar item', () => {
  const embedded = { kind: 'embedded' } as const;
  const session = { shortId: '3f2a', name: 'shop', expiresAt: 521_000, busy: false };

  it('shows the target', () => {
    const { text } = statusTexts({ target: embedded, session: undefined, activity: undefined, trouble: undefined }, 0);
    assert.equal(text, '$(globe) Web Data: embedded');
    const server = targetOf('https://api.example.com');
    assert.match(
      statusTexts({ target: server, session: undefined, activity: undefined, trouble: undefined }, 0).text,
      /api\.example\.com/,
    );
  });

  it('shows the current session with the time left', () => {
    const { text, spoken } = statusTexts({ target: embedded, session, activity: undefined, trouble: undefined }, 0);
    assert.equal(text, '$(circle-filled) shop 8:41 · embedded');
    assert.equal(spoken, 'Web Data: embedded, current session shop, 8:41 left');
  });

  it('shows in the last minute that the session ends soon', () => {
    const at = (now: number) =>
      statusTexts({ target: embedded, session, activity: undefined, trouble: undefined }, now).warns;
    assert.deepEqual([at(521_000 - 60_001), at(521_000 - 60_000), at(521_000)], [undefined, true, true]);
  });

  it('shows no icon or line break from a server', () => {
    const foreign = { ...session, name: '$(trash)\nx' };
    const { text } = statusTexts({ target: embedded, session: foreign, activity: undefined, trouble: undefined }, 0);
    assert.doesNotMatch(text, /\$\(trash|\n/);
  });

  it('shows that a server no longer responds, and that the service stopped unexpectedly', () => {
    const server = targetOf('https://api.example.com');
    const gone = statusTexts({ target: server, session, activity: undefined, trouble: 'unreachable' }, 0);
    assert.equal(gone.text, "$(warning) Web Data: api.example.com doesn't respond");
    assert.deepEqual([gone.warns, gone.spoken], [true, "Web Data: api.example.com doesn't respond"]);
    const stopped = statusTexts({ target: embedded, session, activity: undefined, trouble: 'stopped' }, 0);
    assert.match(stopped.text, /embedded stopped$/);
    // A new attempt is shown first.
    const again = statusTexts({ target: embedded, session, activity: 'starting the service', trouble: 'stopped' }, 0);
    assert.match(again.text, /starting the service$/);
  });
});

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { openPipe } from '../../../src/service/browsers/chrome/pipe.ts';
import { systemClock } from '../../../src/service/platform/clock.ts';
import { silentLog } from '../../../src/service/platform/log.ts';
import { createTabPool } from '../../../src/service/web/scrape/render/tab-pool.ts';
import { temporaryFolder } from '../../harness/folders.ts';

describe('a tab that cannot log in to its proxy', () => {
  it('is heard no longer, and its context is closed', async () => {
    const [toChrome, fromChrome] = [new PassThrough(), new PassThrough()];
    const sent: string[] = [];
    toChrome.setEncoding('utf8').on('data', (commands: string) => {
      for (const command of commands.split('\0').slice(0, -1)) {
        const { id, method, sessionId } = JSON.parse(command);
        sent.push(method);
        const outcome =
          method === 'Fetch.enable'
            ? { error: { message: 'refused' } }
            : { result: { sessionId: sessionId ? 'TAB' : 'ROOT', targetId: 'target', browserContextId: 'context' } };
        if (method === 'Target.attachToTarget')
          fromChrome.write('{"method":"Target.attachedToTarget","params":{"sessionId":"TAB"},"sessionId":"ROOT"}\0');
        fromChrome.write(`${JSON.stringify({ id, sessionId, ...outcome })}\0`);
      }
    });
    const ended = Promise.withResolvers<string>();
    const browser = {
      pipe: openPipe(toChrome, fromChrome, assert.fail),
      ended: ended.promise,
      abandon: ended.resolve,
      close: async () => ended.resolve('closed'),
    };
    const lane = { username: 'u', password: 'p', close: () => undefined, reset: () => undefined };
    const directory = temporaryFolder();
    const pool = createTabPool({
      provider: { local: true, open: async () => browser } as never,
      directory,
      markerName: 'WEBDATA_TEST_TABS',
      egress: async () => ({ url: 'http://127.0.0.1:9', lane: () => lane }) as never,
      size: 2,
      browsers: 1,
      clock: systemClock,
      log: silentLog,
    });
    await assert.rejects(pool.acquire({ team: 'red', name: 'red' }, new AbortController().signal), /can't reach/);
    assert.ok(sent.includes('Target.disposeBrowserContext'));
    fromChrome.write('{"method":"Page.javascriptDialogOpening","params":{},"sessionId":"TAB"}\0');
    for (let turns = 0; turns < 5; turns++) await setImmediate();
    assert.ok(!sent.includes('Page.handleJavaScriptDialog'));
    await pool.close();
    rmSync(directory, { recursive: true, force: true });
  });
});

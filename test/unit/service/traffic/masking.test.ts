import assert from 'node:assert/strict';
import {
  mask,
  maskHeaders as maskHeadersIn,
  maskText as maskTextIn,
  maskUrl as maskUrlIn,
} from '../../../../src/service/browsers/traffic/masking.ts';
import { listConsole } from '../../../../src/service/browsers/traffic/shown.ts';
import { createTurn } from '../../../../src/service/platform/async.ts';

const maskText = (text: string) => maskTextIn(text, createTurn());
const maskUrl = (url: string) => maskUrlIn(url, createTurn());
const maskHeaders = (headers: Parameters<typeof maskHeadersIn>[0]) => maskHeadersIn(headers, createTurn());

describe('secrets of requests', () => {
  it('are masked in headers', async () => {
    const names = ['Authorization', 'cookie', 'Set-Cookie', 'proxy-authorization', 'X-Api-Key', 'x-auth-token'];
    for (const { name, value } of await maskHeaders(names.map((each) => ({ name: each, value: 'secret' }))))
      assert.equal(value, mask, name);
    assert.deepEqual(await maskHeaders([{ name: 'accept', value: '*/*' }]), [{ name: 'accept', value: '*/*' }]);
  });

  it('are masked in the bodies of forms, in JSON and in parts', async () => {
    assert.equal(await maskText('user=ada&password=x%20y&page=1'), `user=ada&password=${mask}&page=1`);
    assert.equal(await maskText('{"user":"ada","newPassword" : "a\\"b"}'), `{"user":"ada","newPassword" : "${mask}"}`);
    assert.equal(
      await maskText('--b\r\nContent-Disposition: form-data; name="pwd"\r\n\r\nx\r\n--b--'),
      `--b\r\nContent-Disposition: form-data; name="pwd"\r\n\r\n${mask}\r\n--b--`,
    );
    assert.equal(await maskText('a compass=points north'), 'a compass=points north');
    const twice = `token${'a'.repeat(50)}`;
    assert.equal(await maskText(`&${twice}${twice}=x&b=c`), `&${twice}${twice}=${mask}&b=c`);
  });

  it('are masked in bodies that are cut in the middle of one', async () => {
    assert.equal(await maskText('{"a":"b","token":"abc\\"d'), `{"a":"b","token":"${mask}`);
  });

  it('are masked wherever they are in a long body, while others have their turn', async () => {
    const filler = 'passing words, '.repeat(3);
    for (let length = 65_500; length < 65_580; length++) {
      const before = `${filler.repeat(length / filler.length).padEnd(length, ' x')}`;
      assert.equal(await maskText(`${before}&password=x&b=c`), `${before}&password=${mask}&b=c`);
    }
    let turns = 0;
    setImmediate(() => turns++);
    const body = JSON.stringify(
      Array.from({ length: 50_000 }, (_, id) => ({ id, token: 'x', text: 'words of a page' })),
    );
    assert.equal(await maskText(body), body.replaceAll('"token":"x"', `"token":"${mask}"`));
    assert.ok(turns > 0);
  });

  it('are masked in URLs', async () => {
    assert.equal(await maskUrl('https://ada:x@site/p?token=a#b'), `https://${mask}@site/p?token=${mask}#b`);
    assert.equal(await maskUrl('https://site/password?page=2'), 'https://site/password?page=2');
  });

  it('are masked in bodies that are made to be slow to read', async () => {
    for (const slow of [
      `"${'token'.repeat(200_000)}`,
      `&${'token'.repeat(200_000)}`,
      'name="token"\r\nx'.repeat(60_000),
    ])
      assert.equal((await maskText(`${slow}\r\n&password=x`)).slice(-mask.length - 1), `=${mask}`);
  });

  it('hides the secrets of URLs in lines of the console, also from a search (WS-12)', async () => {
    const url = 'https://me:pw1@site.test/login?token=canary#top';
    const line = {
      id: 'c1',
      level: 'error',
      source: 'browser',
      text: `Refused '${url}' as 1 > 0`,
      url,
      version: 1,
      at: 0,
    };
    const entries = { list: () => [line] } as never;
    const [shown] = await listConsole({ entries }, {});
    assert.equal(shown?.text, "Refused 'https://•••@site.test/login?token=•••#top' as 1 > 0");
    assert.equal(shown?.url, 'https://•••@site.test/login?token=•••#top');
    assert.deepEqual(await listConsole({ entries }, { text: 'canary' }), []);
  });
});

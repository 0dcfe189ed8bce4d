import assert from 'node:assert/strict';
import { mask, maskHeaders, maskText, maskUrl } from '../../../../src/service/browsers/traffic/masking.ts';

describe('secrets of requests', () => {
  it('are masked in headers', () => {
    const names = ['Authorization', 'cookie', 'Set-Cookie', 'proxy-authorization', 'X-Api-Key', 'x-auth-token'];
    for (const { name, value } of maskHeaders(names.map((each) => ({ name: each, value: 'secret' }))))
      assert.equal(value, mask, name);
    assert.deepEqual(maskHeaders([{ name: 'accept', value: '*/*' }]), [{ name: 'accept', value: '*/*' }]);
  });

  it('are masked in the bodies of forms, in JSON and in parts', () => {
    assert.equal(maskText('user=ada&password=x%20y&page=1'), `user=ada&password=${mask}&page=1`);
    assert.equal(maskText('{"user":"ada","newPassword" : "a\\"b"}'), `{"user":"ada","newPassword" : "${mask}"}`);
    assert.equal(
      maskText('--b\r\nContent-Disposition: form-data; name="pwd"\r\n\r\nx\r\n--b--'),
      `--b\r\nContent-Disposition: form-data; name="pwd"\r\n\r\n${mask}\r\n--b--`,
    );
    assert.equal(maskText('a compass=points north'), 'a compass=points north');
  });

  it('are masked in URLs', () => {
    assert.equal(maskUrl('https://ada:x@site/p?token=a#b'), `https://${mask}@site/p?token=${mask}#b`);
    assert.equal(maskUrl('https://site/password?page=2'), 'https://site/password?page=2');
  });

  it('are masked in bodies that are made to be slow to read', () => {
    for (const slow of [
      `"${'token'.repeat(200_000)}`,
      `&${'token'.repeat(200_000)}`,
      'name="token"\r\nx'.repeat(60_000),
    ])
      assert.equal(maskText(`${slow}\r\n&password=x`).slice(-mask.length - 1), `=${mask}`);
  });
});

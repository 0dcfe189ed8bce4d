import assert from 'node:assert/strict';
import { areIn, namesPassword } from '../../../../src/service/browsers/page/password-watch.ts';

const url = 'https://shop.test/login';

describe('a password in what a page sends', () => {
  it('is found as a value of a form, in JSON, in parts and in the URL', () => {
    const part = 'Content-Disposition: form-data; name="pin"\r\n\r\nto&p s\r\n--x';
    for (const postData of ['user=a&pin=to%26p+s', 'pin=to%26p%20s', '{"pin":"to&p s"}', part])
      assert.equal(areIn({ url, method: 'POST', postData }, ['other', 'to&p s']), true, postData);
    assert.equal(areIn({ url: `${url}?pin=to%26p+s`, method: 'GET' }, ['other', 'to&p s']), true);
    const postDataEntries = [{ bytes: Buffer.from('pin=1234').toString('base64') }];
    assert.equal(areIn({ url, method: 'POST', postDataEntries }, ['1234']), true);
    for (const postData of ['user=12345', 'at=12:1234', '1234', '{"n":1234}'])
      assert.equal(areIn({ url, method: 'POST', postData }, ['1234']), false, postData);
  });

  it('counts as sent by a page with very many or very long ones, which are not compared (TRN-15)', () => {
    const request = { url, method: 'POST', postData: 'user=a&'.repeat(100_000) };
    const passwords = Array.from({ length: 10_000 }, (_, index) => `secret ${index}`);
    assert.equal(areIn(request, passwords), true);
    assert.equal(areIn(request, ['x'.repeat(2_000)]), true);
    assert.equal(areIn(request, passwords.slice(0, 100)), false);
    assert.equal(areIn(request, []), false);
    assert.equal(areIn(request, ['\ud800']), false);
  });

  it('is found by the name of its field', () => {
    const part = 'Content-Disposition: form-data; name="user[password]"\r\n\r\nx';
    for (const postData of ['user=a&password=x', 'login_pwd=x', 'userPassword=x', 'pass=x', '{"passwd": "x"}', part])
      assert.equal(namesPassword({ url, method: 'POST', postData }), true, postData);
    for (const postData of ['user=a&password=', 'compass=north', 'passenger=1', '{"password":""}', 'q=password'])
      assert.equal(namesPassword({ url, method: 'POST', postData }), false, postData);
  });

  it('is looked for in short time, whatever a page sends (TRN-06)', () => {
    const texts = ['passw', '"passw', '&pass', 'name="passw', '"passw" ', '"a" : ', 'name="a"\r\n'];
    for (const postData of texts.map((text) => text.repeat(40_000))) {
      assert.equal(namesPassword({ url, method: 'POST', postData }), false);
      assert.equal(areIn({ url, method: 'POST', postData }, ['1234']), false);
    }
  });
});

import assert from 'node:assert/strict';
import * as watch from '../../../../src/service/browsers/page/password-watch.ts';
import { createTurn } from '../../../../src/service/platform/async.ts';

const url = 'https://shop.test/login';
type Sent = Parameters<typeof watch.areIn>[0];
const areIn = (request: Sent, passwords: string[]) => watch.areIn(request, passwords, createTurn());
const namesPassword = (request: Sent) => watch.namesPassword(request, createTurn());

describe('a password in what a page sends', () => {
  it('is found as a value of a form, in JSON, in parts and in the URL', async () => {
    const part = 'Content-Disposition: form-data; name="pin"\r\n\r\nto&p s\r\n--x';
    for (const postData of ['user=a&pin=to%26p+s', 'pin=to%26p%20s', '{"pin":"to&p s"}', part])
      assert.equal(await areIn({ url, method: 'POST', postData }, ['other', 'to&p s']), true, postData);
    assert.equal(await areIn({ url: `${url}?pin=to%26p+s`, method: 'GET' }, ['other', 'to&p s']), true);
    const postDataEntries = [{ bytes: Buffer.from('pin=1234').toString('base64') }];
    assert.equal(await areIn({ url, method: 'POST', postDataEntries }, ['1234']), true);
    for (const postData of ['user=12345', 'at=12:1234', '1234', '{"n":1234}'])
      assert.equal(await areIn({ url, method: 'POST', postData }, ['1234']), false, postData);
  });

  it('counts as sent by a page with very many or very long ones, which are not compared (TRN-15)', async () => {
    const request = { url, method: 'POST', postData: 'user=a&'.repeat(100_000) };
    const passwords = Array.from({ length: 10_000 }, (_, index) => `secret ${index}`);
    assert.equal(await areIn(request, passwords), true);
    assert.equal(await areIn(request, ['x'.repeat(2_000)]), true);
    assert.equal(await areIn(request, passwords.slice(0, 100)), false);
    assert.equal(await areIn(request, []), false);
    assert.equal(await areIn(request, ['\ud800']), false);
  });

  it('is found at the end of a long body', async () => {
    const long = `text=${'x'.repeat(1_500_000)}`;
    assert.equal(await namesPassword({ url, method: 'POST', postData: `${long}&password=1` }), true);
    assert.equal(await areIn({ url, method: 'POST', postData: `${long}&pin=1234` }, ['1234']), true);
    assert.equal(await areIn({ url, method: 'POST', postData: long }, ['1234']), false);
    assert.equal(await areIn({ url, method: 'POST', postData: long }, Array(100).fill('1234')), true, 'not compared');
  });

  it('is found by the name of its field', async () => {
    const part = 'Content-Disposition: form-data; name="user[password]"\r\n\r\nx';
    for (const postData of ['user=a&password=x', 'login_pwd=x', 'userPassword=x', 'pass=x', '{"passwd": "x"}', part])
      assert.equal(await namesPassword({ url, method: 'POST', postData }), true, postData);
    for (const postData of ['user=a&password=', 'compass=north', 'passenger=1', '{"password":""}', 'q=password'])
      assert.equal(await namesPassword({ url, method: 'POST', postData }), false, postData);
  });

  it('is looked for in short time, whatever a page sends (TRN-06)', async () => {
    const texts = ['passw', '"passw', '&pass', 'name="passw', '"passw" ', '"a" : ', 'name="a"\r\n'];
    for (const postData of texts.map((text) => text.repeat(40_000))) {
      assert.equal(await namesPassword({ url, method: 'POST', postData }), false);
      assert.equal(await areIn({ url, method: 'POST', postData }, ['1234']), false);
    }
  });
});

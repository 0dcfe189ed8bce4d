import assert from 'node:assert/strict';
import { startInstead } from '../../../src/service/web/crawl/left-out.ts';

describe('a crawl that got only its start page', () => {
  const site = 'https://site.test';
  const startAt = (asked: string, landed = asked) => startInstead(site + asked, site + landed, 3);

  it('is said to begin in the folder above, whatever query the page has', () => {
    assert.equal(startAt('/shop/soups/'), `${site}/shop/`);
    assert.equal(startAt('/shop/soups/', '/shop/soups/?page=4'), `${site}/shop/`);
    assert.equal(startAt('/shop/soups?from=/a/'), `${site}/shop/`);
    assert.equal(startAt('/?page=4'), undefined);
    assert.equal(startInstead(`${site}/shop/soups/`, `${site}/shop/soups/`, 0), undefined);
  });

  it('is not said to begin where it did, as where a login is shown instead', () => {
    assert.equal(startAt('/portal/', '/portal/login?next=%2Fportal%2F'), undefined);
    assert.equal(startAt('/portal/', '/login/form'), `${site}/login/`);
  });
});

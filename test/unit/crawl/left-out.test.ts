import assert from 'node:assert/strict';
import { onlyStartText } from '../../../src/service/web/crawl/left-out.ts';

describe('a crawl that got only its start page', () => {
  const site = 'https://site.test';
  const startAt = (asked: string, landed = asked) =>
    / start at (\S+)$/.exec(onlyStartText(site + asked, site + landed, 'crawled', 3) ?? '')?.[1];

  it('is said to begin in the folder above, whatever query the page has', () => {
    assert.equal(startAt('/shop/soups/'), `${site}/shop/`);
    assert.equal(startAt('/shop/soups/', '/shop/soups/?page=4'), `${site}/shop/`);
    assert.equal(startAt('/shop/soups?from=/a/'), `${site}/shop/`);
    assert.equal(startAt('/?page=4'), undefined);
  });

  it('is not said to begin where it did, as where a login is shown instead', () => {
    assert.equal(startAt('/portal/', '/portal/login?next=%2Fportal%2F'), undefined);
    assert.equal(startAt('/portal/', '/login/form'), `${site}/login/`);
  });
});

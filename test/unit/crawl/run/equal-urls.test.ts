import assert from 'node:assert/strict';
import { createEqualUrls } from '../../../../src/service/web/crawl/run/site-knowledge/equal-urls.ts';

const site = 'https://site.test';

describe('parts of URLs that make no difference', () => {
  it('are learned one after the other, however many there are', () => {
    const equal = createEqualUrls();
    const names = Array.from({ length: 60 }, (_, index) => `p${index}`);
    for (let page = 0; page < 600; page++)
      for (const name of names.slice(page % 6, (page % 6) + 1))
        equal.same(`${site}/list/${page}?${name}=${page}`, `${site}/list/${page}`);
    const known = (url: string) => Array.from({ length: 20 }, () => equal.isKnown(url)).includes(true);
    assert.ok(known(`${site}/list/1?p0=x`));
    assert.ok(!known(`${site}/list/1?q=x`));
    assert.ok(!known(`${site}/other?p0=x`));
  });

  it('are not learned from the first part of a list, which may be another one in the next list', () => {
    const equal = createEqualUrls();
    for (let list = 0; list < 30; list++) {
      equal.own(`${site}/forum/${list}`);
      equal.own(`${site}/view/${list}`);
      equal.same(`${site}/forum/${list}?page=1`, `${site}/forum/${list}`);
      equal.same(`${site}/view/${list}?page=0`, `${site}/view/${list}`);
      equal.same(`${site}/view/${list}?start=0`, `${site}/view/${list}`);
    }
    const known = (url: string) => Array.from({ length: 2 }, () => equal.isKnown(site + url)).includes(true);
    for (const query of ['?page=2', '?start=10', '?page=1&start=10', '?page=11'])
      assert.ok(!known(`/forum/5${query}`), query);
    for (const query of ['?page=1', '?page=2', '?start=1']) assert.ok(!known(`/view/5${query}`), query);
    for (let list = 0; list < 30; list++) equal.same(`${site}/forum/${list}?page=7`, `${site}/forum/${list}`);
    assert.ok(known('/forum/5?page=8'));
  });

  it('are no longer left out once they make a difference', () => {
    const equal = createEqualUrls();
    for (let page = 0; page < 10; page++) equal.same(`${site}/${page}?a=1`, `${site}/${page}`);
    assert.ok(equal.isKnown(`${site}/1?a=2`));
    equal.own(`${site}/1?a=3`);
    assert.ok(!equal.isKnown(`${site}/1?a=4`));
  });

  it('are told apart from those that make one, although the id of a visit is another one at each page', () => {
    const equal = createEqualUrls();
    const form = (page: number, visit: number) => `${site}/form?thread=${page}&sid=${visit}abcdef0123456789`;
    const thread = (page: number, visit: number) => `${site}/thread?thread=${page}&sid=${visit}abcdef0123456789`;
    for (let page = 0; page < 10; page++) {
      equal.own(thread(page, page));
      equal.same(form(page + 1, page + 20), form(0, 0));
    }
    assert.ok(!equal.isKnown(thread(10, 40)));
  });

  it('are the path before a route, but not that of pages without one', () => {
    const equal = createEqualUrls();
    equal.own(`${site}/#/help`);
    equal.own(`${site}/terms`);
    for (let page = 0; page < 10; page++) equal.same(`${site}/lenses/${page}#/help`, `${site}/#/help`);
    const known = (url: string) => Array.from({ length: 2 }, () => equal.isKnown(url)).includes(true);
    assert.ok(known(`${site}/contact#/help`));
    assert.ok(!known(`${site}/contact#/imprint`));
    assert.ok(!known(`${site}/rental/terms`));
  });

  it('TRN-06: are learned from paths with very many folders, and from very many parameters', () => {
    const equal = createEqualUrls();
    const deep = Array.from({ length: 2_000 }, (_, index) => index).join('/');
    for (let page = 0; page < 20; page++) equal.same(`${site}/x${page}/${deep}`, `${site}/${deep}`);
    assert.ok(!equal.isKnown(`${site}/other`));
    equal.own(`${site}/own/${deep}`);
    const long = Array.from({ length: 2_000 }, (_, index) => `p${index}=1`).join('&');
    for (let page = 0; page < 20; page++) equal.same(`${site}/${page}?${long}`, `${site}/${page}`);
    equal.own(`${site}/own?${long}`);
  });
});

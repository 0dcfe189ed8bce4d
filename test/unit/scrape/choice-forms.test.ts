import assert from 'node:assert/strict';
import { convertPage } from '../../../src/service/web/scrape/convert/convert-page.ts';

const site = 'https://site.test';
const options = {
  onlyMainContent: true,
  onlyCleanContent: false,
  removeBase64Images: true,
  markdown: true,
  html: false,
};
const choicesOf = (html: string) => convertPage(html, { url: `${site}/reports?x=1`, ...options }).choices;

const years = '<option value="">All years<option>2023</option><option>2024</option><option>2025</option>';
const select = (name: string, within = years) => `<select name="${name}">${within}</select>`;
const form = (within: string, attributes = '') => `<form ${attributes}>${within}<button>Show</button></form>`;

describe('a form whose choices are pages', () => {
  it('is found, with a page that it leads to', () => {
    const found: [html: string, count: number, example: string][] = [
      [form(select('year')), 3, '/reports?year=2025'],
      [
        form(`<input type="hidden" name="kind" value="a b">${select('year')}`, 'action="/all?z"'),
        3,
        '/all?kind=a+b&year=2025',
      ],
      [form('<input type=radio name=by value=A> <input type=radio name=by value=B>'), 2, '/reports?by=B'],
      [form(`<input name="q">${select('year')}${select('town', '<option>York<option>Hull')}`), 3, '/reports?year=2025'],
      [form(select('to', '<option value="/a">A<option value="/b">B'), 'action="/go" method="post"'), 2, '/b'],
      [`<base href="/other/">${form(select('year'))}`, 3, '/reports?year=2025'],
      ['<select id="parts"><option>Choose<option value="/p/1">1<option value="/p/2">2</select>', 0, ''],
      ['<select id="parts"><option value="">Choose<option value="/p/1">1<option value="/p/2">2</select>', 2, '/p/2'],
    ];
    for (const [html, count, path] of found) {
      const { pages = [] } = choicesOf(html) ?? {};
      assert.deepEqual([pages.length, pages.at(-1) ?? site], [count, site + path], html);
    }
    assert.equal(choicesOf(form(select('year" aria-label="Year of the report')))?.name, 'Year of the report');
  });

  it('is not a list that leads to its pages by itself: all of them are links, but not those of one that is disabled', () => {
    const menu = (attributes: string) =>
      `<select onchange="location = '/size/' + this.value" ${attributes}>${Array.from({ length: 300 }, (_, size) => `<option>${size}`).join('')}</select>`;
    const read = (html: string) => convertPage(html, { url: `${site}/reports`, ...options });
    const { links = [], choices } = read(menu(''));
    assert.deepEqual([links.length, links.at(-1), choices], [300, `${site}/size/299`, undefined]);
    assert.deepEqual(read(menu('disabled')).links, []);
  });

  it('sends the whole text of a choice without a value', () => {
    const long = 'Minutes of the meetings of the committee for the maintenance of paths';
    const { pages } = choicesOf(form(select('about', `<option>${long}<option>Other`))) ?? {};
    assert.equal(pages?.[0], `${site}/reports?about=${long.replaceAll(' ', '+')}`);
  });

  it('has no first page for a list whose address says no page', () => {
    const pages = '<option>1<option>2<option>3';
    const found = choicesOf(form(select('page', pages)));
    assert.deepEqual(found, {
      name: 'page',
      pages: [`${site}/reports?page=2`, `${site}/reports?page=3`],
      shown: `${site}/reports?page=1`,
    });
    for (const [html, count] of [
      [form(select('room', pages)), 3],
      // Of products, or of pages: its name alone doesn't say.
      [form(select('p', pages)), 3],
      [form(select('page', pages), 'action="/other"'), 3],
    ] as const)
      assert.equal(choicesOf(html)?.pages.length, count, html);
  });

  it('has no page for the choice that the page itself shows', () => {
    const chosen = '<option>2023<option selected>2024<option>2025';
    const { pages, shown } = choicesOf(form(select('year', chosen))) ?? {};
    assert.deepEqual(
      pages,
      ['2023', '2025'].map((year) => `${site}/reports?year=${year}`),
    );
    assert.equal(shown, `${site}/reports?year=2024`);
    assert.equal(choicesOf(form(select('year', chosen), 'action="/other"'))?.pages.length, 3);
    assert.equal(choicesOf(form(select('year', '<option selected>2023<option>2024')))?.pages.length, 1);
    const radios = ['A" checked x="', 'B', 'C'].map((by) => `<input type="radio" name="by" value="${by}">`).join('');
    assert.deepEqual(choicesOf(form(radios))?.pages.length, 2);
  });

  it('is none that sorts, searches for a text or asks for a login, that is sent, or whose pages are linked', () => {
    const others = [
      form(select('sort')),
      form(select('items_per_page')),
      form(select('lang')),
      form('<input name="q">'),
      form(`<input type="search" name="text">${select('department')}`),
      form(select('department'), 'role="search"'),
      form(`<input name="name" required>${select('year')}`),
      form(`<input type="password">${select('year')}`),
      form(select('size'), 'method="post"'),
      form(select('year', '<option>2025')),
      `${form(select('year'))}${[2023, 2024].map((year) => `<a href="?year=${year}">${year}</a>`).join('')}`,
      `<template>${form(select('year'))}</template>`,
      '<select onchange="location = this.value"><option value="/a">A<option value="/b">B</select>',
      select('year'),
      select('sort', '<option value="/list/by-name">Name<option value="/list/by-date">Date'),
    ];
    for (const html of others) assert.equal(choicesOf(html), undefined, html);
  });
});

describe('a form whose buttons send the number of a page of its own list', () => {
  const page = `${site}/reports?year=2024`;
  const linksOf = (html: string, url = page) => convertPage(html, { url, ...options }).links;
  const hidden = '<input type="hidden" name="page" value="2">';
  const year = '<input type="hidden" name="year" value="2024">';

  it('is a link', () => {
    const found: [html: string, links: string[]][] = [
      [`<form>${hidden}<button>Next</button></form>`, ['/reports?page=2']],
      [`<form action="/reports?all">${year}${hidden}<input type=submit></form>`, ['/reports?year=2024&page=2']],
      [
        '<form><button name="p">1</button><button name=page value=2>2</button><button name=page value=3>3</button></form>',
        ['/reports?page=2', '/reports?page=3'],
      ],
    ];
    for (const [html, links] of found)
      assert.deepEqual(
        linksOf(html),
        links.map((each) => site + each),
        html,
      );
  });

  it('is none if it sends something else, or elsewhere', () => {
    const next = `${hidden}<button>Next</button>`;
    for (const html of [
      ...['/logout', '/item/delete?id=7', 'https://other.test/reports'].map(
        (to) => `<form action="${to}">${next}</form>`,
      ),
      ...['post', 'dialog'].map((method) => `<form method="${method}">${next}</form>`),
      ...[
        '<input name="mail">',
        '<select name="a"><option>1<option>2</select>',
        '<textarea name="a"></textarea>',
        '<input type="checkbox" name="a">',
        '<input type="hidden" name="token" value="8f3a">',
        '<input type="hidden" name="utf8" value="✓">',
        '<input type="hidden" name="year" value="2023">',
        '<input type="hidden" name="pg" value="3">',
        '<input type="hidden" name="year" value="2024" disabled>',
      ].map((field) => `<form>${field}${next}</form>`),
      `<form>${hidden}</form>`,
      `<form>${hidden}<button name="delete" value="7">Delete</button><button type="button">Next</button></form>`,
      `<form>${hidden}<button disabled>1</button><button formaction="/other">2</button><button formmethod="post">3</button></form>`,
      `<form><fieldset disabled>${next}</fieldset></form>`,
      `<form id="list">${next}</form><input name="mail" form="list">`,
      `<form>${hidden}<button form="list">Next</button></form>`,
      '<form><button name="page" value="1">1</button><button name="page" value="last">Last</button></form>',
      '<form><input type="hidden" name="step" value="2"><button>Next</button></form>',
    ])
      assert.deepEqual(linksOf(html), [], html);
    assert.deepEqual(linksOf(`<form>${next}</form>`, ''), []);
  });
});

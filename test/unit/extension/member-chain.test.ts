import assert from 'node:assert/strict';
import { completedAfter, usesPage } from '../../../src/extension/types/native/member-chain.ts';

describe('the subject of a completion', () => {
  it('is a member of the session', () => {
    for (const text of [
      'page.',
      'await page.go',
      `page.locator('a (b').`,
      `await page\n  .locator('li')\n  .filter({ hasText: (() => ')')() })\n  .fi`,
      'context?.pages().',
      'x = browser.contexts.',
    ])
      assert.equal(completedAfter(text), 'session member', text);
  });

  it('is a member of something else, or no member', () => {
    for (const text of ['other.', 'my.page.', 'pages.', 'page; x.', `call(page).`, '[page].'])
      assert.equal(completedAfter(text), 'other member', text);
    for (const text of ['', 'pa', 'page', 'page.title() ']) assert.equal(completedAfter(text), 'name', text);
  });
});

describe('a text that uses the session', () => {
  it('awaits a page that it does not declare', () => {
    for (const text of [
      'await page.goto(url)',
      'const rows = await page.$$(a)',
      'for (const x of await (page.pages()))',
    ])
      assert.equal(usesPage(text, false), true, text);
    for (const text of [
      'const page = await browser.newPage();\nawait page.goto(url)',
      "import { page } from './page';\nawait page.goto(url)",
      "test('a', async ({ page }) => await page.goto(url))",
      'page.on(a, b)',
    ])
      assert.equal(usesPage(text, false), false, text);
    assert.equal(usesPage('page.', true), true);
  });

  it('is read in short time, whatever is on one line (EXT-27)', () => {
    completedAfter(`${'('.repeat(200_000)}${')'.repeat(200_000)}.`);
    assert.equal(usesPage(`await page\n${'let '.repeat(200_000)}`, false), true);
    assert.equal(usesPage(`await page\n${'let '.repeat(200_000)}page`, false), false);
  });

  it('is read in short time, however much white space is before it', () => {
    for (let times = 0; times < 5; times++) completedAfter(`page${' '.repeat(60_000)}x page.`);
    assert.equal(completedAfter(`page${' '.repeat(60_000)}.loc`), 'session member');
  });
});

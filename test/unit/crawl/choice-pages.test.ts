import assert from 'node:assert/strict';
import { createChoicePages } from '../../../src/service/web/crawl/choice-pages.ts';

describe('the choices of forms', () => {
  it('are kept up to a number, and nothing more is kept of the pages that show others', async () => {
    const choices = createChoicePages();
    const found = (path: string) => {
      const on = `https://site.test/${path}`;
      const pages = Array.from({ length: 200 }, (_, year) => `${on}?year=${year}`);
      return { on, form: { name: 'year', pages, shown: `${on}?year=200` }, isList: false };
    };
    const kept = Array.from({ length: 20 }, (_, index) => choices.add(found(`p${index}`)));
    assert.equal(kept.filter(Boolean).length, 5);
    const again = { ...found('p0'), form: { name: 'year', pages: [], shown: 'https://site.test/p0?year=7' } };
    assert.equal(choices.add(again), true);
    assert.match((await choices.text(async (all) => all.map(() => true))) ?? '', /leads to at least 999 pages,/);
  });
});

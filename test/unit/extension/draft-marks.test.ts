import assert from 'node:assert/strict';
import type { TextDocument } from 'vscode';
import type { CrawlDraft } from '../../../src/extension/crawls/draft/draft.ts';
import type { DraftEstimates } from '../../../src/extension/crawls/draft/draft-estimates.ts';
import type { DraftFiles } from '../../../src/extension/crawls/draft/draft-files.ts';
import { notesOf } from '../../../src/extension/crawls/draft/draft-notes.ts';
import { commands } from '../../../src/extension/ui/ids.ts';
import { Signal } from '../../../src/extension/ui/lifecycle.ts';
import { fake, Uri } from '../../harness/fake-vscode.ts';

const matches = { title: 'Matches 5 of 9 URLs', command: commands.refresh };
const redirects = { title: 'Redirects to a.test/docs/', command: '' };
const lists = { title: 'Only lists of 9 pages', command: '' };

describe('the line above the parameters of a draft', () => {
  async function lensesOf(draft: Omit<CrawlDraft, 'text'> & { startedId?: string }, hasModel = false) {
    fake.reset();
    const { DraftMarks } = await import('../../../src/extension/crawls/draft/draft-marks.ts');
    const text = '{\n  "url": "https://a.test/",\n  "includePaths": ["^/c"]\n}\n';
    const drafts = { find: () => ({ text, ...draft }) } as unknown as DraftFiles;
    const estimates = {
      onDidChange: new Signal(),
      lensesOf: () => [matches],
      startLensesOf: () => [redirects],
      listedLensesOf: () => ({ name: 'includePaths', lenses: [lists] }),
    };
    const marks = new DraftMarks(drafts, estimates as unknown as DraftEstimates, () => hasModel);
    const document = {
      uri: Uri.from({ scheme: 'webdata-crawl', path: '/draft' }),
      getText: () => text,
      positionAt: (offset: number) => ({ line: text.slice(0, offset).split('\n').length - 1 }),
    };
    const lenses = marks.provideCodeLenses(document as unknown as TextDocument);
    marks.dispose();
    const titles = (line: number) =>
      lenses.filter(({ range }) => range.start.line === line).map(({ command }) => command?.title ?? '');
    return {
      top: titles(0),
      atUrl: titles(1),
      atInclude: titles(2),
      tooltips: lenses.map(({ command }) => command?.tooltip ?? ''),
    };
  }

  const sentence = 'all the products with their names, prices, availability, colors and sizes, sorted by date';
  const notUnderstood = ['with their names', 'prices', 'availability', `colors and sizes, ${'very '.repeat(30)}long`];

  it('begins with what starts the crawl, and is short however much was not understood', async () => {
    const { top, tooltips } = await lensesOf({ sentence, fromSentence: {}, notUnderstood, startedId: 'c1' });
    assert.deepEqual(top, [
      '$(play)\u00a0Start again',
      matches.title,
      '$(warning)\u00a0Not understood: “with their names”, “prices” and 2 more',
      '$(check)\u00a0Started as c1',
    ]);
    for (const part of notUnderstood)
      assert.ok(
        tooltips.some((text) => text.includes(part)),
        part,
      );
    const long = await lensesOf({ sentence, fromSentence: {}, notUnderstood: Array(3).fill('x'.repeat(500)) });
    assert.ok(long.top.join(' | ').length < 180, long.top.join(' | '));
  });

  it('says which parts were not found on the site', async () => {
    const { top } = await lensesOf({ sentence, fromSentence: {}, notFound: ['all the products'] });
    assert.deepEqual(top.slice(2), ['$(warning)\u00a0Not found on the site: “all the products”']);
  });

  it('is followed by what a redirect of the start URL needs, above that URL, and by what lists list', async () => {
    const { top, atUrl, atInclude } = await lensesOf({ sentence: undefined, fromSentence: {} });
    assert.deepEqual(
      [top, atUrl, atInclude],
      [['$(play)\u00a0Start crawl', matches.title], [redirects.title], [lists.title]],
    );
  });

  it('calls a language the reason only for a sentence in another one', async () => {
    const titles = async (given: string, hasModel?: boolean) =>
      (await lensesOf({ sentence: given, fromSentence: {}, notUnderstood: [given] }, hasModel)).top.join('\n');
    const language = /Only English is understood/;
    assert.doesNotMatch(await titles('the products in the Garden category with price'), language);
    assert.match(await titles('solo los productos'), language);
    assert.doesNotMatch(await titles('solo los productos', true), language);
    const read = await lensesOf({ sentence: 'solo los productos', fromSentence: {} });
    assert.doesNotMatch(read.top.join('\n'), language);
  });
});

describe('the notes behind the lines of a draft', () => {
  const left = (reason: string, count: number, ...examples: string[]) => ({ reason, count, examples });
  /** The notes by the names of their lines. */
  function notes(text: string, draft: Omit<CrawlDraft, 'text'>, ...leftOut: ReturnType<typeof left>[]) {
    const nameAt = (offset: number) => /^"(\w+)"/.exec(text.slice(offset))?.[1] ?? 'first line';
    const all = notesOf(text, { text, ...draft }, leftOut);
    return Object.fromEntries(all.map((note) => [nameAt(note.offset), note]));
  }
  const textsOf = (...given: Parameters<typeof notes>) =>
    Object.fromEntries(Object.entries(notes(...given)).map(([name, { text }]) => [name, text]));

  it('say what the words still set, that an edit replaced it all, or that they set nothing', () => {
    const draft = { sentence: 'the blog', fromSentence: { includePaths: ['^/blog(/|$)'] } };
    assert.deepEqual(textsOf('{"includePaths": ["^/blog(/|$)"]}', draft), {
      'first line': 'From your description: the blog',
      includePaths: 'from your description',
    });
    assert.deepEqual(textsOf('{"includePaths": ["^/news"]}', draft), {
      'first line': 'You changed everything that “the blog” had set',
    });
    const none = { sentence: 'hello', fromSentence: {} };
    assert.deepEqual(textsOf('{"limit": 5}', none), { 'first line': '“hello” sets no parameters' });
    assert.deepEqual(textsOf('{"limit": 5}', { ...none, notUnderstood: ['hello'] }), {
      'first line': 'Understood: parts of the site, limits, depth, pauses…',
    });
    assert.deepEqual(textsOf('{"limit": 5}', { sentence: undefined, fromSentence: {} }), {});
  });

  it('say at the line of each parameter what it leaves out', () => {
    const text = '{"url": "https://a.test/",\n"limit": 5,\n"includePaths": ["^/p"],\n"crawlEntireDomain": false}';
    const draft = {
      sentence: 'products',
      fromSentence: { includePaths: ['^/p'] },
      sources: { includePaths: ['products'] },
      lists: [{ path: '/c', pages: 3, leadsTo: 60 }],
    };
    const given = [
      left('include', 114, 'https://a.test/c/kitchen', 'https://a.test/about'),
      left('limit', 1, 'https://a.test/p/6'),
      left('duplicate', 2),
      left('host', 7, 'https://b.test/x'),
      left('trap', 1),
      left('section', 3),
    ];
    const { 'first line': _, ...others } = textsOf(text, draft, ...given);
    assert.deepEqual(others, {
      url: 'leaves out 7 pages, on other websites; …',
      limit: 'leaves out 1 page, such as /p/6',
      includePaths: 'leaves out 114 pages, such as /c/kitchen · from “products” …',
      crawlEntireDomain: 'leaves out 3 pages',
    });
    const { includePaths, limit, url } = notes(text, draft, ...given);
    assert.match(
      includePaths?.hover ?? '',
      /^leaves out 114 pages, such as \/c\/kitchen · from “products” · lists are/,
    );
    assert.match(includePaths?.hover ?? '', /products.*\/c: 3 pages.*60 others.*https:\/\/a\.test\/about/s);
    assert.match(url?.hover ?? '', /endless URLs/);
    assert.match(limit?.hover ?? '', /beyond the limit/);
    assert.deepEqual([includePaths?.isFromSentence, limit?.isFromSentence], [true, false]);
    // The user's own patterns are no longer those that leave out the lists.
    const { includePaths: edited } = textsOf(text.replace('^/p', '^/q'), draft, ...given);
    assert.equal(edited, 'leaves out 114 pages, such as /c/kitchen');
  });

  it('say what set a parameter rather than name a page that it leaves out, without room for both', () => {
    const text = `{"includePaths": ["^/guide(/|$)"]}`;
    const draft = {
      sentence: 'the guides',
      fromSentence: { includePaths: ['^/guide(/|$)'] },
      sources: { includePaths: ['the guides'] },
    };
    const { includePaths } = textsOf(text, draft, left('include', 12, `https://a.test/${'long/'.repeat(8)}`));
    assert.equal(includePaths, 'leaves out 12 pages · from “the guides”');
  });

  it('are cut so that they fit behind their lines in a narrow editor, and their hovers have all', () => {
    const sentence = 'every page about kitchens, gardens and balconies';
    const given = [left('include', 12, `https://a.test/${'long-name/'.repeat(20)}`)];
    const pattern = (length: number) => `"includePaths": ["${'x'.repeat(length)}"]`;
    for (const length of [1, 20, 40, 200]) {
      const text = `{\n  ${pattern(length)}\n}`;
      const draft = {
        sentence,
        fromSentence: { includePaths: ['x'.repeat(length)] },
        sources: { includePaths: ['pages about kitchens', 'gardens and balconies', 'every page of all of them'] },
      };
      const { includePaths } = notes(text, draft, ...given);
      const room = Math.max(40, 80 - pattern(length).length - 2);
      assert.ok((includePaths?.text.length ?? 0) <= room + 2, includePaths?.text);
      assert.match(includePaths?.text ?? '', /^leaves out 12 pages/);
      assert.match(includePaths?.hover ?? '', /^leaves out 12 pages.*gardens and balconies.*every page of/);
    }
  });
});

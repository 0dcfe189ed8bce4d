import assert from 'node:assert/strict';
import type { Disposable, LogOutputChannel } from 'vscode';
import type { FoundPage } from '../../../../src/contract/crawl/pages.ts';
import type { Connection } from '../../../../src/extension/connection/connection.ts';
import { PagesStore } from '../../../../src/extension/pages/pages-store.ts';
import { aroundMatch, matchesIn } from '../../../../src/extension/pages/search/match-lines.ts';
import { commands } from '../../../../src/extension/ui/ids.ts';
import { eventually } from '../../../harness/eventually.ts';
import { fake, type Range, window } from '../../../harness/fake-vscode.ts';

interface Row {
  label: string;
  found?: FoundPage;
  more?: string;
}
interface List {
  items: Row[];
  activeItems: Row[];
  busy: boolean;
  type(text: string): void;
  accept(...items: Row[]): void;
}

const total = 50;

describe('Search Pages…', () => {
  let registered: Disposable;
  let list: List;
  let indexed: number;
  let inTwoCrawls: boolean;
  let searches: number;
  let searched: Promise<unknown>;

  beforeEach(async () => {
    fake.reset();
    indexed = 45;
    inTwoCrawls = false;
    searches = 0;
    const embedded = {
      async searchPages({ query: { limit, cursor } }: { query: { limit: number; cursor?: string } }) {
        searches++;
        const skip = Number(cursor ?? 0);
        const numbers = Array.from({ length: indexed }, (_, index) => index).slice(skip, skip + limit);
        const results = numbers.map((number) => ({
          jobId: 'c1',
          page: { id: `s${number}`, url: `https://a.test/${number}`, title: `Page ${number}`, state: 'ok' },
          matches: [{ line: 1, column: 1, length: 3, text: `tea ${number}`, textColumn: 1 }],
          moreMatches: false,
        }));
        // Another crawl has the first page too, with the same text, and the second with another.
        const [first, second] = results;
        if (inTwoCrawls && first && second)
          results.push({ ...first, jobId: 'c2' }, {
            ...second,
            jobId: 'c2',
            matches: [{ ...second.matches[0], text: 'more tea' }],
          } as typeof first);
        const end = skip + limit;
        const more = end < indexed ? String(end) : null;
        return { results, total: indexed, cursor: more, indexed: { pages: indexed, total } };
      },
    };
    const client = { getScrape: async () => ({ data: { markdown: 'tea', warning: 'Late.' } }) };
    const target = { kind: 'embedded' };
    const connection = { target, access: async () => ({ client, embedded }) } as unknown as Connection;
    const { registerSearchCommand } = await import('../../../../src/extension/pages/search/search-pages.ts');
    const log = { error: () => undefined } as unknown as LogOutputChannel;
    registered = registerSearchCommand({ store: new PagesStore(connection), connection, log });
    const opened = Promise.withResolvers<List>();
    fake.answer = (kind, input) => {
      if (kind !== 'list') return undefined;
      opened.resolve(input as List);
      return new Promise(() => undefined);
    };
    searched = fake.run(commands.searchPages, { crawlId: 'c1' });
    list = await opened.promise;
    list.activeItems = [];
    list.type('tea');
    await eventually(() => assert.equal(matches().length, 20));
  });
  afterEach(() => registered.dispose());

  const matches = () => list.items.filter(({ found }) => found);
  const loadMore = () => list.accept(list.items.find(({ more }) => more !== undefined) as Row);

  it('keeps what was loaded and the selected row while pages are being indexed (EXT-21)', async () => {
    loadMore();
    await eventually(() => assert.equal(matches().length, 40));
    assert.equal(list.activeItems[0]?.label, 'tea 20', 'the first of those that were added');
    list.activeItems = matches().slice(33, 34);
    indexed = 47;
    const before = searches;
    await eventually(() => assert.ok(searches >= before + 2, 'searched again'));
    await eventually(() => assert.equal(list.activeItems[0], matches()[33]));
    assert.equal(matches().length, 40);
    assert.equal(list.activeItems[0]?.label, 'tea 33');
    indexed = total;
    await eventually(() => assert.equal(list.busy, false));
    assert.equal(matches().length, 40);
  });

  it('selects the match below what is said above the page', async () => {
    const { showTextDocument } = window;
    let line: number | undefined;
    window.showTextDocument = async (_uri, options?: { selection?: Range }) => {
      line = options?.selection?.start.line;
      return { revealRange: () => undefined };
    };
    try {
      list.accept(matches()[3] as Row);
      await searched;
    } finally {
      window.showTextDocument = showTextDocument;
    }
    assert.deepEqual([line, fake.messages], [2, []]);
  });

  it('shows a page once that two crawls have with the same text', async () => {
    inTwoCrawls = true;
    indexed = 3;
    list.type('tea again');
    await eventually(() =>
      assert.deepEqual(
        matches().map(({ label }) => label),
        ['tea 0', 'tea 1', 'tea 2', 'more tea'],
      ),
    );
  });

  it("says why the chosen page can't be opened", async () => {
    const { showTextDocument } = window;
    window.showTextDocument = async () => Promise.reject(new Error('This page is no longer stored.'));
    try {
      list.accept(matches()[3] as Row);
      await searched;
    } finally {
      window.showTextDocument = showTextDocument;
    }
    assert.deepEqual(fake.messages, ['Web Data: This page is no longer stored.']);
  });
});

describe('a line that matches a search', () => {
  const shown = (line: string, word: string) => {
    const [match] = matchesIn({ url: 'https://a.test/' }, line, word)?.matches ?? [];
    return match && aroundMatch(match);
  };

  it('is cut so that a list shows the match', () => {
    const words =
      'Tea comes in a box of two, packed by hand on the day of the order and shipped within two days at most.';
    assert.equal(shown('Tea is shipped.', 'shipped'), 'Tea is shipped.');
    assert.equal(shown(words, 'box'), `${words.slice(0, 70)}…`);
    const late = shown(words, 'shipped') ?? '';
    assert.match(late, /^…[a-z]+ .* shipped within two days at most\.$/);
    for (const line of [`${'x'.repeat(500)}mug${'x'.repeat(500)}`, `${words} ${words} mug ${words}`]) {
      const part = shown(line, 'mug') ?? '';
      assert.match(part, /^….*mug.*…$/);
      assert.ok(part.length <= 72, part);
    }
  });
});

import assert from 'node:assert/strict';
import type { LogOutputChannel, TextDocument } from 'vscode';
import type { Connection } from '../../../src/extension/connection/connection.ts';
import type { DraftFiles } from '../../../src/extension/crawls/draft/draft-files.ts';
import { commands } from '../../../src/extension/ui/ids.ts';
import { Signal } from '../../../src/extension/ui/lifecycle.ts';
import { eventually } from '../../harness/eventually.ts';
import { fake, happen, Uri, window } from '../../harness/fake-vscode.ts';

describe('the estimate of a draft', () => {
  it('reads the site again only if that is asked for', async () => {
    fake.reset();
    const bodies: unknown[] = [];
    const embedded = {
      async estimateCrawl({ body }: { body: unknown }) {
        bodies.push(body);
        return { found: 9, matches: 6, examples: ['https://shop.test/a'], leftOut: [] };
      },
    };
    const onRefresh = new Signal();
    const connection = { onRefresh, access: async () => ({ embedded }) } as unknown as Connection;
    const draft = (path: string) => {
      const uri = Uri.from({ scheme: 'webdata-crawl', path });
      return { uri, isClosed: false, getText: () => `{"url": "https://shop.test${path}"}` } as unknown as TextDocument;
    };
    const [shown, other] = [draft('/shown'), draft('/other')];
    const drafts = { find: () => ({ text: '', fromSentence: {} }) } as unknown as DraftFiles;
    const { DraftEstimates } = await import('../../../src/extension/crawls/draft/draft-estimates.ts');
    const estimates = new DraftEstimates(drafts, connection, { debug: assert.fail } as unknown as LogOutputChannel);
    const asked = async (count: number) => await eventually(() => assert.equal(bodies.length, count));
    estimates.look(shown);
    await asked(1);
    estimates.look(other);
    await asked(2);
    happen.changed(shown, 'x');
    await asked(3);
    await eventually(() => assert.match(estimates.lensesOf(shown.uri)[0]?.title ?? '', /6 of 9 URLs/));
    const [lens] = estimates.lensesOf(shown.uri);
    assert.deepEqual(
      [lens?.command, lens?.tooltip],
      [commands.refresh, 'These URLs were found so far. Click to read the site again.\nhttps://shop.test/a'],
    );
    window.visibleTextEditors = [{ document: shown }];
    onRefresh.fire();
    await asked(4);
    window.visibleTextEditors = [];
    estimates.dispose();
    assert.deepEqual(bodies, [
      { url: 'https://shop.test/shown' },
      { url: 'https://shop.test/other' },
      { url: 'https://shop.test/shown' },
      { url: 'https://shop.test/shown', lookAgain: true },
    ]);
  });

  it('says where the start URL redirects to, and offers to start there or in the folder above, or to crawl that', async () => {
    const beside = (leftOut: object) => ({
      options: { url: 'https://docs.test/docs/old/', includePaths: ['^/docs/'] },
      pages: { ...leftOut, examples: [] },
    });
    const section = { reason: 'section', count: 11, atLeast: false, examples: ['https://docs.test/v2/b'] };
    for (const [redirectedTo, leftOut, start] of [
      ['https://docs.test/v2/a', [section], 'https://docs.test/v2/'],
      ['https://docs.test/v2/', [], 'https://docs.test/v2/'],
      ['https://docs.test/', [section], 'https://docs.test/'],
      [undefined, [section], beside(section)],
      [null, [section], beside(section)],
      [undefined, [], undefined],
    ] as const) {
      fake.reset();
      const estimate = { found: 12, matches: 1, examples: [], leftOut, redirectedTo };
      const embedded = { estimateCrawl: async () => estimate };
      const connection = { onRefresh: new Signal(), access: async () => ({ embedded }) } as unknown as Connection;
      const { DraftEstimates } = await import('../../../src/extension/crawls/draft/draft-estimates.ts');
      const drafts = { find: () => ({ text: '', fromSentence: {} }) } as unknown as DraftFiles;
      const estimates = new DraftEstimates(drafts, connection, { debug: assert.fail } as unknown as LogOutputChannel);
      const document = {
        uri: Uri.from({ scheme: 'webdata-crawl', path: '/moved' }),
        isClosed: false,
        getText: () => '{"url": "https://docs.test/docs/old/"}',
      } as unknown as TextDocument;
      const { uri } = document;
      estimates.look(document);
      await eventually(() => assert.match(estimates.lensesOf(uri)[0]?.title ?? '', /1 of 12 URLs/));
      const lenses = estimates.startLensesOf(document);
      const offer = lenses.find(({ command }) => command === commands.startCrawl);
      assert.deepEqual(offer?.arguments, start && [start]);
      const said = lenses.some(({ tooltip }) => tooltip === `The start URL redirects to ${redirectedTo}.`);
      assert.equal(said, Boolean(redirectedTo));
      estimates.dispose();
    }
  });

  it('says what the pages that match only list, and offers a draft that includes that', async () => {
    const pagesOf = (...paths: string[]) => ({
      reason: 'include',
      count: 16,
      atLeast: false,
      examples: paths.map((path) => `https://shop.test${path}`),
    });
    const outside = (...paths: string[]) => ({ ...pagesOf(...paths), reason: 'section' });
    const teapots = { url: 'https://shop.test/', includePaths: ['^/c/Teapots(/|$)'] };
    const english = { url: 'https://shop.test/en/', includePaths: ['^/en/c/Teapots(/|$)'] };
    for (const [options, listed, way] of [
      [teapots, pagesOf('/product/1', '/product/2'), 'Include…'],
      [teapots, pagesOf('/one', '/two'), undefined],
      [teapots, undefined, undefined],
      [english, pagesOf('/en/product/1', '/en/product/2'), 'Include…'],
      [english, pagesOf('/en/c/1', '/en/2'), undefined],
      [english, { ...pagesOf(), examples: ['no address'] }, undefined],
      [english, outside('/product/1'), 'Include…'],
      [english, outside('/1'), undefined],
      [{ url: 'https://shop.test/list' }, outside('/1'), 'Include…'],
    ] as const) {
      fake.reset();
      const embedded = { estimateCrawl: async () => ({ found: 9, matches: 1, examples: [], leftOut: [], listed }) };
      const connection = { onRefresh: new Signal(), access: async () => ({ embedded }) } as unknown as Connection;
      const { DraftEstimates } = await import('../../../src/extension/crawls/draft/draft-estimates.ts');
      const drafts = { find: () => ({ text: '', fromSentence: {} }) } as unknown as DraftFiles;
      const estimates = new DraftEstimates(drafts, connection, { debug: assert.fail } as unknown as LogOutputChannel);
      const document = {
        uri: Uri.from({ scheme: 'webdata-crawl', path: '/lists' }),
        isClosed: false,
        getText: () => JSON.stringify(options),
      } as unknown as TextDocument;
      estimates.look(document);
      await eventually(() => assert.match(estimates.lensesOf(document.uri)[0]?.title ?? '', /1 of 9 URLs/));
      const { name, lenses = [] } = estimates.listedLensesOf(document) ?? {};
      const isInclude = listed?.reason === 'include';
      assert.equal(name, listed && (isInclude ? 'includePaths' : 'url'));
      assert.equal(lenses[0]?.title, listed && '$(warning) Matches lists, not the 16 pages they list');
      const offer = lenses.find(({ command }) => command === commands.startCrawl);
      assert.deepEqual(
        [offer?.title, offer?.arguments],
        way ? [way, [{ options, pages: listed }]] : [undefined, undefined],
      );
      estimates.dispose();
    }
  });
});

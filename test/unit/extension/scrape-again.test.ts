import assert from 'node:assert/strict';
import type { LogOutputChannel, Memento } from 'vscode';
import type { Connection } from '../../../src/extension/connection/connection.ts';
import { commands } from '../../../src/extension/ui/ids.ts';
import type { VirtualDocuments } from '../../../src/extension/ui/virtual-documents/virtual-documents.ts';
import { fake, happen, TabInputWebview, Uri } from '../../harness/fake-vscode.ts';

const url = 'https://shop.test/notes';
const click = { type: 'click', selector: '#more' };
const missing = `The page has a button "Load more", which wasn't clicked: what it loads is missing.`;
const advice = `To get it, set actions: ${JSON.stringify([click])}.`;
const warning = `${missing} ${advice}`;

describe('what a scrape and a map show', () => {
  it('stays open when the next scrape comes, whatever it returned, and says why a map has no pages', async () => {
    fake.reset();
    const kept: unknown[] = [];
    const answers = [{ markdown: '# Notes' }, { links: [], metadata: { scrapeId: 's' } }];
    const { registerPageCommands } = await import('../../../src/extension/crawls/page-commands.ts');
    const client = {
      scrape: async () => ({ data: answers.shift() }),
      mapSite: async () => ({ links: [], warning: 'The host keeps returning status 503.', stopped: 'complete' }),
    };
    const registered = registerPageCommands({
      connection: { access: async () => ({ client }) } as unknown as Connection,
      documents: { open: async (name: string, ...rest: unknown[]) => kept.push([name, rest.at(-1)]) } as never,
      session: () => undefined,
      state: { get: () => undefined, keys: () => [] } as unknown as Memento,
      log: { error: () => undefined } as unknown as LogOutputChannel,
    });
    for (let count = 0; count < 2; count++) await fake.run(commands.scrapeUrl, url);
    assert.deepEqual(kept, [
      ['scrape/shop.test-notes.md', true],
      ['scrape/shop.test-notes.json', true],
    ]);
    await fake.run(commands.mapSite, url);
    registered.dispose();
    const said = 'Web Data: No pages were found on shop.test. The host keeps returning status 503.';
    assert.deepEqual(fake.messages, [said]);
  });
});

describe('a page whose warning advises actions', () => {
  beforeEach(() => fake.reset());

  it('is scraped again with them by the button of the warning', async () => {
    const bodies: unknown[] = [];
    const client = {
      async scrape({ body }: { body: { actions?: unknown; onlyMainContent?: boolean } }) {
        bodies.push(body);
        const isWhole = body.actions !== undefined || body.onlyMainContent === false;
        const lacking = !isWhole && { warning, missing: [{ what: missing, advice, actions: [click] }] };
        return { data: { markdown: '# Notes', metadata: { scrapeId: 's' }, ...lacking } };
      },
    };
    const said: unknown[] = [];
    fake.answer = (kind, text, ...more) => {
      if (kind !== 'message' || !String(text).includes('Load more')) return undefined;
      said.push(text, ...more);
      return more[0];
    };
    const { registerPageCommands } = await import('../../../src/extension/crawls/page-commands.ts');
    const registered = registerPageCommands({
      connection: { access: async () => ({ client }) } as unknown as Connection,
      documents: {} as VirtualDocuments,
      session: () => undefined,
      // Without scripts, nothing could be clicked.
      state: { get: () => ({ noScripts: true, waitFor: 1000 }), keys: () => [] } as unknown as Memento,
      log: { error: assert.fail, warn: assert.fail } as unknown as LogOutputChannel,
    });
    await fake.run(commands.scrapeUrl, url);
    while (bodies.length < 2) await new Promise((resolve) => setImmediate(resolve));
    await fake.run(commands.scrapeUrl, { url, onlyMainContent: false });
    registered.dispose();
    assert.deepEqual(said, [`Web Data: shop.test/notes: ${missing}`, 'Load More and Scrape Again']);
    const common = { url, waitFor: 1000 };
    assert.deepEqual(bodies, [
      { ...common, timeout: 30_000, fastMode: true },
      { ...common, timeout: 120_000, actions: [click] },
      { ...common, timeout: 30_000, fastMode: true, onlyMainContent: false },
    ]);
  });

  it('is told without the actions where a button runs them, and with all else', async () => {
    const { warningBesideButton } = await import('../../../src/extension/ui/scrape-again.ts');
    const part = { what: missing, advice, actions: [click] };
    const [other, tabs] = [{ what: 'Any other words, $& too.' }, { what: 'Tabs.', advice: 'Click [first].' }];
    const said = `${other.what} ${warning} ${tabs.what} ${tabs.advice}`;
    const beside = `${other.what} ${missing} ${tabs.what} ${tabs.advice}`;
    assert.equal(warningBesideButton({ warning: said, missing: [other, part, tabs] }), beside);
    assert.equal(warningBesideButton({ warning: said, missing: [{}, part] }), missing);
    const scroll = { what: 'It grows.', advice: 'Scroll it.', actions: [{ type: 'scroll' }] };
    assert.equal(warningBesideButton({ warning: said, missing: [scroll, part] }), `It grows. ${missing} ${advice}`);
    // Without a button, all is shown as it is.
    const unknown = { ...part, actions: [{ type: 'executeJavascript' }] };
    // Another server may mean something else by the field.
    const foreign = [{ field: 'price' }, { what: null, actions: [{}] }];
    for (const none of [undefined, null, [], [tabs], [other, unknown], foreign])
      assert.equal(warningBesideButton({ warning: said, missing: none }), said);
  });

  it('has more time with each action, as much as a server allows', async () => {
    const { timeoutOf } = await import('../../../src/extension/ui/scrape-again.ts');
    const scroll = { type: 'scroll', direction: 'down' } as const;
    const times = [1, 2, 3, 50].map((count) => timeoutOf(Array(count).fill(scroll)));
    assert.deepEqual(times, [120_000, 240_000, 300_000, 300_000]);
  });

  it('has a button in the title bar of its preview that does the same', async () => {
    const { PageDocuments } = await import('../../../src/extension/pages/page-documents.ts');
    const { previewButton } = await import('../../../src/extension/pages/page-commands.ts');
    const document = (path: string, actions?: unknown) => ({
      markdown: '# Notes',
      missing: [{ what: missing, actions }],
      metadata: { sourceURL: `https://shop.test/${path}` },
    });
    const pages = new Map([
      ['shop.test/notes', document('notes', [click])],
      ['shop.test/old/notes', document('old/notes')],
      ['shop.test/my notes', document('my%20notes')],
    ]);
    const store = {
      read: async ({ page }: { page: string }) => ({ document: pages.get(page), found: true, readAt: 0 }),
      readLinks: async () => undefined,
    };
    const documents = new PageDocuments(store as never);
    const button = previewButton(store as never, documents, { error: assert.fail } as never);
    const read = async (page: string) =>
      await documents.readFile(Uri.from({ scheme: 'webdata', path: `/crawl/c1/${page}.md` }) as never);
    const shown = async (label: string, viewType = 'mainThreadWebview-markdown.preview') => {
      happen.shown({ label, input: new TabInputWebview(viewType) });
      await new Promise((resolve) => setImmediate(resolve));
      const asked: unknown[] = [];
      fake.commands.set(commands.scrapeUrl, (...args: unknown[]) => void asked.push(...args));
      await fake.run(commands.loadMoreOfPage);
      return asked;
    };
    const again = [{ url, actions: [click] }];
    assert.deepEqual(await shown('Preview notes.md'), []);
    await read('shop.test/my notes');
    await read('shop.test/notes');
    assert.deepEqual(await shown('Preview notes.md'), again);
    assert.deepEqual(await shown('[Preview] notes.md'), again);
    assert.deepEqual(await shown('预览 notes.md'), again);
    assert.deepEqual(await shown('Preview my notes.md'), again.slice(1));
    assert.deepEqual(await shown('Preview footnotes.md'), []);
    assert.deepEqual(await shown('Preview notes.md', 'webdataLiveView'), []);
    // The preview shows its tab before it has read the page.
    await read('shop.test/notes');
    assert.deepEqual(await shown('Preview notes.md'), again);
    // Nothing tells which of two pages a preview shows.
    await read('shop.test/old/notes');
    assert.deepEqual(await shown('Preview notes.md'), []);
    button.dispose();
  });

  it('is scraped whole by buttons if its main content leaves something out', async () => {
    const { PageDocuments } = await import('../../../src/extension/pages/page-documents.ts');
    const { pageLenses, previewButton } = await import('../../../src/extension/pages/page-commands.ts');
    const { isScrapeAgain } = await import('../../../src/extension/ui/scrape-again.ts');
    const document = { markdown: '# Notes', leftOut: { share: 0.2, parts: ['Reviews'] }, metadata: { sourceURL: url } };
    const store = { read: async () => ({ document, found: true, readAt: 0 }), readLinks: async () => undefined };
    const uri = Uri.from({ scheme: 'webdata', path: '/crawl/c1/shop.test/notes.md' }) as never;
    const whole = { url, onlyMainContent: false };
    const lenses = await pageLenses(store as never).provideCodeLenses({ uri });
    assert.deepEqual(
      lenses.map(({ command }) => [command?.title, command?.command, command?.arguments]),
      [['Scrape Whole Page', commands.scrapeUrl, [whole]]],
    );
    const documents = new PageDocuments(store as never);
    const buttons = previewButton(store as never, documents, { error: assert.fail } as never);
    await documents.readFile(uri);
    happen.shown({ label: 'Preview notes.md', input: new TabInputWebview('mainThreadWebview-markdown.preview') });
    await new Promise((resolve) => setImmediate(resolve));
    const asked: unknown[] = [];
    fake.commands.set(commands.scrapeUrl, (...args: unknown[]) => void asked.push(...args));
    await fake.run(commands.loadMoreOfPage);
    assert.deepEqual(asked, [whole]);
    buttons.dispose();
    assert.ok(isScrapeAgain(whole));
    assert.ok(!isScrapeAgain({ url }));
  });

  it('has a link above its text that does the same', async () => {
    const { pageLenses } = await import('../../../src/extension/pages/page-commands.ts');
    const lensesOf = async (actions: unknown, path = '/crawl/c1/shop.test/notes.md') => {
      const document = {
        metadata: { sourceURL: url },
        warning,
        missing: [{ what: 'Tabs.' }, { what: missing, actions }],
      };
      const store = { read: async () => ({ document, found: true, readAt: 0 }) };
      const lenses = await pageLenses(store as never).provideCodeLenses({ uri: uriOf(path) });
      return lenses.map(({ command }) => [command?.title, command?.command, command?.arguments]);
    };
    const uriOf = (path: string) => Uri.from({ scheme: 'webdata', path }) as never;
    const lens = ['Load More and Scrape Again', commands.scrapeUrl, [{ url, actions: [click] }]];
    assert.deepEqual(await lensesOf([click]), [lens]);
    const scrolls = [{ type: 'scroll', direction: 'down' }];
    assert.deepEqual(await lensesOf(scrolls), [[...lens.slice(0, 2), [{ url, actions: scrolls }]]]);
    for (const other of [[{ type: 'executeJavascript', script: 'a()' }], [], null])
      assert.deepEqual(await lensesOf(other), [], JSON.stringify(other));
    assert.deepEqual(await lensesOf(undefined), []);
    assert.deepEqual(await lensesOf([click], '/crawl/c1/shop.test/notes.html'), []);
  });
});

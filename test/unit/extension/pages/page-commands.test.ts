import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { LogOutputChannel } from 'vscode';
import type { Client, EmbeddedClient } from '../../../../src/client/client.ts';
import type { Connection } from '../../../../src/extension/connection/connection.ts';
import type { Pages } from '../../../../src/extension/pages/pages.ts';
import { commands } from '../../../../src/extension/ui/ids.ts';
import { Signal } from '../../../../src/extension/ui/lifecycle.ts';
import type { PageNode } from '../../../../src/extension/ui/tree-rows.ts';
import type { VirtualDocuments } from '../../../../src/extension/ui/virtual-documents/virtual-documents.ts';
import { eventually } from '../../../harness/eventually.ts';
import { fake, Uri, window, workspace } from '../../../harness/fake-vscode.ts';
import { temporaryFolder } from '../../../harness/folders.ts';

const total = 450;
const png = Buffer.from('picture').toString('base64');
const job = { kind: 'crawl', id: 'c1' } as const;
const urlOf = (number: number) => `https://a.test/p/${number}`;
const documentOf = (number: number) => ({
  markdown: `# Page ${number}\n\n[next](${urlOf(number + 1)})`,
  html: `<h1>Page ${number}</h1>`,
  screenshot: `data:image/png;base64,${png}`,
  ...(number === 1 && { links: [urlOf(2)] }),
  metadata: { url: urlOf(number), title: `Page "${number}", of ${total}`, statusCode: 200, scrapeId: `s${number}` },
});

describe('commands on the pages of a crawl', () => {
  let folder: string;
  let pages: Pages;
  let calls: { name: string; request: unknown }[];
  let leftOut: object[];

  beforeEach(async () => {
    fake.reset();
    folder = temporaryFolder();
    calls = [];
    leftOut = [];
    const { Pages } = await import('../../../../src/extension/pages/pages.ts');
    pages = new Pages({
      connection: connectionTo(calls, leftOut),
      documents: {} as VirtualDocuments,
      endings: {} as never,
      log: { error: () => undefined, warn: () => undefined } as unknown as LogOutputChannel,
    });
  });
  afterEach(() => {
    pages.dispose();
    rmSync(folder, { recursive: true });
  });

  const rows = async (of: PageNode | typeof job = job) => await pages.tree.rows(of);
  const labels = async () => (await rows()).map((row) => String(pages.tree.item(row).label));
  const rowOf = async (title: string) => {
    const row = (await rows()).find((one) => pages.tree.item(one).label === title);
    assert.ok(row, `no row ${title}`);
    return row;
  };
  const firstPage = () => rowOf(`Page "1", of ${total}`);
  const opened = async () => {
    const uri = fake.ran.find(({ id }) => id === 'vscode.open')?.args[0] as Uri;
    return { path: uri.path, text: Buffer.from((await workspace.fs.readFile(uri)) as Uint8Array).toString() };
  };

  const openAs = async (name: string, argument: unknown) => {
    fake.answer = (kind, ...args) =>
      kind === 'pick' ? (args[0] as { label: string }[]).find(({ label }) => label.endsWith(name)) : undefined;
    await fake.run(commands.openPageAs, argument);
  };

  it('load more rows, 200 at a time, until all are loaded', async () => {
    const first = await labels();
    assert.deepEqual([first.length, first.at(-1), first[1]], [202, 'Load more', `Page "1", of ${total}`]);
    await fake.run(commands.loadMorePages, (await rows()).at(-1));
    assert.equal((await labels()).length, 402);
    await fake.run(commands.loadMorePages, (await rows()).at(-1));
    const all = await labels();
    assert.equal(all.length, total + 1);
    assert.ok(!all.includes('Load more'));
  });

  it('show the HTML, links, metadata, JSON and screenshot of a page', async () => {
    const at = (suffix: string) => `/crawl/c1/a.test/p/1#/Page "1", of ${total}${suffix}`;
    const cases = [
      ['HTML', at('.html'), '<h1>Page 1</h1>'],
      ['Links', at('.links.txt'), `${urlOf(2)}\n`],
      ['Metadata', at('.metadata.json'), `${json(documentOf(1).metadata)}\n`],
      ['JSON', at('.json'), `${json(documentOf(1))}\n`],
      ['Screenshot', at('.png'), 'picture'],
    ] as const;
    for (const [name, path, text] of cases) {
      fake.ran.length = 0;
      await openAs(name, await firstPage());
      assert.deepEqual(await opened(), { path, text });
    }
    assert.deepEqual(fake.messages, []);
  });

  it('say which format to request if a page lacks one', async () => {
    const problem = await rowOf('1 failed page, 1 blocked page');
    const [failed] = await pages.tree.rows(problem);
    await openAs('Screenshot', failed);
    assert.deepEqual(fake.messages, ['Web Data: This page has no screenshot. Request the format "screenshot".']);
    assert.equal(fake.ran.length, 0);
  });

  it('preview a page, and open its text', async () => {
    await fake.run(commands.openPage, await firstPage());
    assert.deepEqual(
      fake.ran.map(({ id, args }) => [id, String(args[0])]),
      [['markdown.showPreview', `webdata:/crawl/c1/a.test/p/1#/Page "1", of ${total}.md`]],
    );
    await openAs('Preview', await firstPage());
    assert.deepEqual(fake.ran[1], fake.ran[0]);
    await fake.run(commands.openPageMarkdown, await firstPage());
    assert.deepEqual(fake.shown, [{ uri: `webdata:/crawl/c1/a.test/p/1#/Page "1", of ${total}.md` }]);
    await fake.run(commands.copyPageUrl, await firstPage());
    assert.equal(fake.clipboard, urlOf(1));
  });

  it('name the document of a scrape after its title, and read it once', async () => {
    const scrape = { scrapeId: 's2', url: urlOf(2) };
    await fake.run(commands.openPageMarkdown, { ...scrape, keep: true });
    await openAs('Metadata', scrape);
    assert.deepEqual(fake.shown, [{ uri: `webdata:/scrape/s2/a.test/Page "2", of ${total}.md` }]);
    assert.equal((await opened()).path, `/scrape/s2/a.test/Page "2", of ${total}.metadata.json`);
    assert.equal(calls.filter(({ name }) => name === 'getScrape').length, 1);
  });

  it('open a page in a new session, and its live view', async () => {
    fake.result = (id) => (id === commands.newBrowserSession ? 'session1' : undefined);
    await fake.run(commands.openPageInSession, await firstPage());
    const execute = calls.find(({ name }) => name === 'executeInBrowserSession')?.request as {
      params: object;
      body: { code: string };
    };
    assert.deepEqual(execute.params, { sessionId: 'session1' });
    assert.ok(execute.body.code.includes(`page.goto("${urlOf(1)}"`), execute.body.code);
    assert.deepEqual(fake.ran.at(-1), { id: commands.openLiveView, args: [{ sessionId: 'session1' }] });
  });

  it('open no page if the new session is canceled', async () => {
    await fake.run(commands.openPageInSession, await firstPage());
    assert.ok(!calls.some(({ name }) => name === 'executeInBrowserSession'));
  });

  it('say which scrape a page is of, for interactions', async () => {
    assert.deepEqual(await fake.run(commands.scrapeOfPage, await firstPage()), { id: 's1', target: urlOf(1) });
    assert.equal(await fake.run(commands.scrapeOfPage, { entry: { id: 's1' } }), undefined);
  });

  it('open a scrape of Activity like a page', async () => {
    await fake.run(commands.openPage, { entry: { id: 's2', target: urlOf(2) } });
    assert.match(String(fake.ran[0]?.args[0]), /^webdata:\/scrape\/s2\//);
  });

  it('do nothing in Restricted Mode', async () => {
    const row = await firstPage();
    workspace.isTrusted = false;
    try {
      await fake.run(commands.openPage, row);
    } finally {
      workspace.isTrusted = true;
    }
    assert.match(fake.messages[0] ?? '', /Nothing runs in Restricted Mode/);
    assert.equal(fake.ran.length, 0);
  });

  const answerSave = (file: string, fields?: readonly string[]) => {
    fake.answer = (kind, ...args) => {
      if (kind === 'save') return Uri.file(file);
      if (kind !== 'pick') return undefined;
      const items = args[0] as { label: string; format?: string }[];
      const format = items.find((item) => file.endsWith(`.${item.format}`));
      if (format) return format;
      return items.filter(({ label }) => fields?.includes(label));
    };
  };

  it('save all pages as JSONL, those that failed included', async () => {
    const file = join(folder, 'pages.jsonl');
    answerSave(file);
    await fake.run(commands.savePages, { crawlId: job.id });
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    assert.equal(lines.length, total + 2);
    assert.deepEqual(
      lines.slice(0, total).map((line) => JSON.parse(line)),
      Array.from({ length: total }, (_, index) => documentOf(index + 1)),
    );
    assert.deepEqual(
      lines.slice(total).map((line) => JSON.parse(line).metadata.error),
      ['It answered 500.', 'Blocked by robots.txt.'],
    );
    const text = 'Web Data: Saved 450 pages to pages.jsonl, plus the errors of 2 pages.';
    assert.ok(fake.messages.includes(text), fake.messages.join('\n'));
    assert.deepEqual(readdirSync(folder), ['pages.jsonl']);
  });

  it('save the selected columns of all pages as CSV', async () => {
    const file = join(folder, 'pages.csv');
    answerSave(file, ['url', 'title', 'error']);
    await fake.run(commands.savePages, { crawlId: job.id });
    const lines = readFileSync(file, 'utf8').split('\r\n');
    assert.equal(lines[0], '\ufeffurl,title,error');
    assert.equal(lines[7], `${urlOf(7)},"Page ""7"", of ${total}",`);
    assert.equal(lines.at(-2), 'https://a.test/private,,Blocked by robots.txt.');
    assert.equal(lines.length, total + 4);
  });

  it('say after saving what is beyond the limit of the crawl, and get it', async () => {
    leftOut.push({ reason: 'limit', count: 41, atLeast: true, examples: [] });
    const file = join(folder, 'pages.jsonl');
    answerSave(file);
    await fake.run(commands.savePages, { crawlId: job.id });
    const { answer } = fake;
    fake.answer = (kind, ...args) => (kind === 'message' ? 'Continue…' : answer(kind, ...args));
    await fake.run(commands.savePages, { crawlId: job.id });
    const text =
      'Web Data: Saved 450 pages to pages.jsonl, plus the errors of 2 pages. Left out: at least 41 pages, beyond the limit.';
    assert.ok(fake.messages.includes(text), fake.messages.join('\n'));
    await eventually(() =>
      assert.deepEqual(fake.ran.at(-1), { id: commands.continueCrawl, args: [{ crawlId: job.id }] }),
    );
  });

  it('say after saving as files where they are, and which pages are not', async () => {
    fake.answer = (kind, ...args) => {
      if (kind === 'message') return args.at(-1);
      if (kind === 'open') return [Uri.file(folder)];
      return kind === 'pick' ? (args[0] as { format?: string }[]).find(({ format }) => format === 'files') : undefined;
    };
    await fake.run(commands.savePages, { crawlId: job.id });
    const said = fake.messages.find((text) => text.includes('as files in')) ?? fake.messages.join('\n');
    assert.match(said, /^Web Data: Saved 450 pages as files in [^/]+\. 2 failed or blocked pages have no content\./);
  });

  it('say why what was saved cannot be opened', async () => {
    const file = join(folder, 'pages.jsonl');
    answerSave(file);
    const { answer } = fake;
    fake.answer = (kind, ...args) =>
      kind === 'message' && String(args[0]).includes('Saved') ? args[1] : answer(kind, ...args);
    const { showTextDocument } = window;
    window.showTextDocument = () => Promise.reject(new Error('The file was moved.'));
    try {
      await fake.run(commands.savePages, { crawlId: job.id });
      await eventually(() => assert.ok(fake.messages.includes('Web Data: The file was moved.')));
    } finally {
      window.showTextDocument = showTextDocument;
    }
  });

  it('leave nothing behind when an export is canceled', async () => {
    const file = join(folder, 'pages.jsonl');
    answerSave(file);
    fake.cancels = ({ message }) => message?.startsWith('250 of') === true;
    await fake.run(commands.savePages, { crawlId: job.id });
    assert.ok(
      fake.progress.some(({ message }) => message === '250 of 450 pages'),
      json(fake.progress),
    );
    assert.ok(!existsSync(file));
    assert.deepEqual([readdirSync(folder), fake.messages], [[], []]);
  });

  it('stop writing files when an export is canceled', async () => {
    fake.answer = (kind, ...args) => {
      if (kind === 'pick') return (args[0] as { format: string }[]).find(({ format }) => format === 'files');
      return kind === 'open' ? [Uri.file(folder)] : kind === 'message' ? 'Save Anyway' : undefined;
    };
    fake.cancels = ({ message }) => message?.startsWith('250 of') === true;
    await fake.run(commands.savePages, { crawlId: job.id });
    assert.match(fake.messages[0] ?? '', /Not everything can be saved\.\n2 failed or blocked pages have no content\./);
    const written = readdirSync(join(folder, 'a.test', 'p')).length;
    assert.ok(written >= 250 && written < total, String(written));
    assert.equal(fake.messages.length, 1);
  });
});

/** A service with one crawl of pages in one folder, one that failed and one that robots.txt disallows. */
function connectionTo(calls: { name: string; request: unknown }[], leftOut: readonly object[]): Connection {
  const note =
    <Request, Answer>(name: string, answer: (request: Request) => Answer) =>
    async (request: Request) => {
      calls.push({ name, request });
      return answer(request);
    };
  const pageOf = (number: number) => ({
    order: number,
    id: `s${number}`,
    url: urlOf(number),
    title: documentOf(number).metadata.title,
    statusCode: 200,
    state: 'ok',
  });
  const failed = { order: total + 1, url: 'https://a.test/broken', state: 'failed', reason: 'It answered 500.' };
  const blocked = { order: total + 2, url: 'https://a.test/private', state: 'blocked' };
  const listed = Array.from({ length: total }, (_, index) => pageOf(index + 1));
  const part = (all: readonly object[], { cursor, limit }: { cursor?: string; limit: number }) => {
    const from = Number(cursor ?? 0);
    const end = from + limit;
    return { pages: all.slice(from, end), cursor: end < all.length ? String(end) : null };
  };
  const embedded = {
    listPageFolder: note('listPageFolder', ({ query }: { query: { limit: number } }) => ({
      ...part(listed, query),
      folder: 'https://a.test/',
      folders: [],
      pageCount: total + 2,
      failedCount: 1,
      blockedCount: 1,
    })),
    listPages: note('listPages', ({ query }: { query: { limit: number; state?: string; url?: string } }) => {
      if (query.url) return { pages: listed.filter(({ url }) => url === query.url), cursor: null };
      if (query.state === 'failed') return { pages: [failed], cursor: null };
      return query.state === 'blocked' ? { pages: [blocked], cursor: null } : part(listed, query);
    }),
    findPages: note('findPages', () => ({ found: [] })),
  } as unknown as EmbeddedClient;
  const client = {
    getScrape: note('getScrape', ({ params }: { params: { jobId: string } }) => ({
      data: documentOf(Number(params.jobId.slice(1))),
    })),
    getCrawl: note('getCrawl', ({ query: { skip = 0, limit } }: { query: { skip?: number; limit: number } }) => {
      const end = Math.min(total, skip + limit);
      const data = Array.from({ length: Math.max(0, end - skip) }, (_, index) => documentOf(skip + index + 1));
      return { status: 'completed', completed: total, total, data, next: end < total ? 'next' : undefined, leftOut };
    }),
    getCrawlErrors: note('getCrawlErrors', () => ({
      errors: [{ id: '1', url: failed.url, error: failed.reason }],
      robotsBlocked: [blocked.url],
    })),
    executeInBrowserSession: note('executeInBrowserSession', () => ({ success: true })),
  } as unknown as Client;
  return {
    target: { kind: 'embedded' },
    onDidChange: new Signal<void>(),
    onRefresh: new Signal<void>(),
    access: async () => ({ client, embedded }),
  } as unknown as Connection;
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}

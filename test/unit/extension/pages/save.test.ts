import assert from 'node:assert/strict';
import { csvValues, fieldsOf, planExport } from '../../../../src/extension/pages/save/export-pages.ts';
import { PageFileNames } from '../../../../src/extension/pages/save/file-names.ts';
import { pageFile, withRelativeLinks } from '../../../../src/extension/pages/save/page-file.ts';
import { csvOf } from '../../../../src/extension/ui/text/csv.ts';

describe('saved pages', () => {
  it('have no links that run commands (EXT-33)', () => {
    const page = { markdown: '[Download](command:x)', metadata: { url: 'https://a.test/' } };
    const text = pageFile(page, 'a.test/index.md', new PageFileNames(['https://a.test/']), '2026-11-21');
    assert.match(text, /\n\[Download\]\(command%3Ax\)\n/);
  });
});

describe('names of saved pages', () => {
  it('follow the URL, with a folder per site', () => {
    const names = new PageFileNames(['https://a.test/', 'https://a.test/guide/setup.html', 'https://b.test/x?page=2']);
    assert.equal(names.of('https://a.test/'), 'a.test/index.md');
    assert.equal(names.of('https://a.test/guide/setup.html#top'), 'a.test/guide/setup.md');
    assert.equal(names.of('https://b.test/x?page=2'), 'b.test/x-page-2.md');
    assert.equal(names.of('https://c.test/'), undefined);
  });

  it('are valid on every system, whatever the URL (EXT-16)', () => {
    const urls = [
      'https://a.test/con',
      'https://a.test/aux.md/lpt1.txt',
      'https://a.test/%2e%2e/%2e%2e%2fetc%2fpasswd',
      'https://a.test/..%5c..%5cwindows',
      'https://a.test/a%00b%0ac',
      'https://a.test/dots...',
      'https://a.test/trailing%20/x%20',
      `https://a.test/${'long/'.repeat(200)}`,
      `https://a.test/${'x'.repeat(500)}`,
      'https://a.test/%E2%80%AEgpj.exe',
      `https://a.test/${'%F0%9F%A6%8A'.repeat(75)}`,
      `https://a.test/x${'%F0%9F%A6%8A'.repeat(75)}/${'a/'.repeat(20)}x${'%F0%9F%A6%8A'.repeat(75)}`,
      'https://a.test/com%C2%B9.txt',
      'not a url',
    ];
    const names = new PageFileNames(urls);
    for (const url of urls) {
      const name = names.of(url) ?? '';
      assert.ok(name.length > 3 && name.length <= 200, name);
      for (const segment of name.split('/')) {
        assert.doesNotMatch(segment, /^\.|[<>:"\\|?*\p{C}]|[. ]$/u, name);
        assert.doesNotMatch(segment, /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])(?:\.|$)/i, name);
        assert.ok(segment.isWellFormed() && Buffer.byteLength(segment) <= 255, name);
      }
    }
  });

  it('differ for every URL, even ignoring case, and are always the same', () => {
    const urls = [
      'https://a.test/Tea',
      'https://a.test/tea',
      'https://a.test/TEA.html',
      'https://a.test/tea?x',
      'https://a.test/tea-x',
    ];
    const names = new PageFileNames(urls);
    const files = urls.map((url) => names.of(url)?.toLowerCase());
    assert.equal(new Set(files).size, urls.length, files.join('\n'));
    // A page that is named as another one would be with its hash.
    const copied = [...urls, `https://a.test/${names.of('https://a.test/tea')?.slice(7, -3).toUpperCase()}`];
    const all = new PageFileNames(copied);
    assert.equal(new Set(copied.map((url) => all.of(url)?.toLowerCase())).size, copied.length);
    const again = new PageFileNames([...urls].reverse());
    assert.deepEqual(
      urls.map((url) => again.of(url)),
      urls.map((url) => names.of(url)),
    );
  });
});

describe('folders of saved pages', () => {
  it('are never named like a file', () => {
    const urls = ['https://a.test/readme', 'https://a.test/readme.md/raw', 'https://a.test/README.MD/x/y'];
    const names = new PageFileNames(urls);
    const files = urls.map((url) => names.of(url)?.toLowerCase() ?? '');
    for (const file of files) assert.ok(!files.some((other) => other.startsWith(`${file}/`)), files.join('\n'));
  });
});

describe('files of saved pages', () => {
  const names = new PageFileNames(['https://a.test/', 'https://a.test/guide/one', 'https://a.test/guide/two/']);

  it('have front matter and relative links to saved pages', () => {
    const markdown = 'See [two](https://a.test/guide/two), [home](https://a.test/#top), [other](https://b.test/).';
    const text = pageFile(
      { markdown, metadata: { url: 'https://a.test/guide/one', title: 'One: "quoted"\n---' } },
      'a.test/guide/one.md',
      names,
      '2026-01-02T03:04:05.000Z',
    );
    assert.equal(
      text,
      `---\nurl: "https://a.test/guide/one"\ntitle: "One: \\"quoted\\"\\n---"\ntime: "2026-01-02T03:04:05.000Z"\n---\n\n` +
        'See [two](./two/index.md), [home](../index.md#top), [other](https://b.test/).\n',
    );
  });

  it('link to pages wherever a visit comes from', () => {
    const linked = ['two?utm_source=x', 'two/?utm_source=x&fbclid=y', 'one?gclid=1#a', 'one?page=2&gclid=1'].map(
      (path) => names.linked(`https://a.test/guide/${path}`),
    );
    assert.deepEqual(linked, [
      'a.test/guide/two/index.md',
      'a.test/guide/two/index.md',
      'a.test/guide/one.md',
      undefined,
    ]);
  });

  it('say who wrote a page, and when', () => {
    const metadata = { url: 'https://a.test/', author: 'Ann: "B"', publishedTime: '2026-03-01', modifiedTime: 7 };
    assert.match(
      pageFile({ markdown: 'Some', metadata }, 'a.test/index.md', names, '2026-04-02T03:04:05.000Z'),
      /^---\nurl: .*\nauthor: "Ann: \\"B\\""\npublished: "2026-03-01"\ntime: "2026-04-.*"\n---\n\nSome\n$/,
    );
    const list = { author: ['Ann', 'Bo'], publishedTime: '' };
    assert.match(
      pageFile({ markdown: 'Some', metadata: list }, 'x.md', names, 'now'),
      /^---\nurl: ""\ntime: "now"\n---/,
    );
  });

  it('say what a page lacks', () => {
    const text = pageFile(
      { markdown: 'Some', warning: 'The page has more.' },
      'one.md',
      names,
      '2026-01-02T03:04:05.000Z',
    );
    assert.match(text, /^---\nurl: ""\ntime: .*\nwarning: "The page has more\."\n---\n\nSome\n$/);
  });

  it('are made relative in short time, whatever backticks have no end (EXT-27)', () => {
    const link = ' [x](https://a.test/)';
    const runs = Array.from({ length: 1_500 }, (_, index) => `${'`'.repeat(index + 2)} `).join('');
    for (const text of [`x${'`'.repeat(300_000)}`, runs]) {
      assert.ok(
        withRelativeLinks(`${text}\n${link.repeat(9_000)}`, 'a.test/guide/one.md', names).endsWith('(../index.md)'),
      );
      assert.ok(withRelativeLinks(`\`${link}\` ${text}`, 'a.test/guide/one.md', names).startsWith(`\`${link}\``));
    }
    assert.equal(withRelativeLinks(`\`\`\`${link}`, 'a.test/guide/one.md', names), '``` [x](../index.md)');
  });

  it('leave code unchanged', () => {
    const markdown = '`[x](https://a.test/)`\n\n```md\n[x](https://a.test/)\n```\n\n[ref]: https://a.test/\n';
    const text = withRelativeLinks(markdown, 'a.test/guide/one.md', names);
    assert.equal(text, '`[x](https://a.test/)`\n\n```md\n[x](https://a.test/)\n```\n\n[ref]: ../index.md\n');
  });
});

describe('what an export will lack', () => {
  const missing = async (state: object, errors: string[] = [], format: 'files' | 'csv' = 'files') => {
    const failed = errors.map((url) => ({ id: url, url, error: 'Status 500' }));
    const client = {
      getCrawl: async () => ({ status: 'completed', completed: 1, data: [{ markdown: 'Tea' }], ...state }),
      getCrawlErrors: async () => ({ errors: failed, robotsBlocked: [] }),
    };
    const job = { kind: 'crawl', id: 'c1' } as const;
    const plan = await planExport(client as never, job, format, new AbortController().signal);
    return [...plan.missing, ...plan.unread];
  };

  it('is nothing if a crawl has all of its pages, whatever it was told to leave out', async () => {
    const leftOut = [{ reason: 'exclude', count: 7, atLeast: false, examples: [] }];
    assert.deepEqual(await missing({ leftOut }), []);
  });

  it('is what is beyond the limit, what a crawl that was ended did not read, and what failed', async () => {
    const leftOut = [{ reason: 'limit', count: 41, atLeast: true, examples: [] }];
    for (const format of ['files', 'csv'] as const)
      assert.deepEqual(await missing({ leftOut }, [], format), ['Left out: at least 41 pages, beyond the limit.']);
    assert.deepEqual(await missing({ status: 'cancelled' }), ['The job was canceled.']);
    assert.deepEqual(await missing({}, ['https://a.test/x']), ['1 failed or blocked page has no content.']);
    const two = ['https://a.test/x', 'https://a.test/y'];
    assert.deepEqual(await missing({}, two), ['2 failed or blocked pages have no content.']);
    assert.deepEqual(await missing({ status: 'scraping', total: 3 }), ["It's still running: 1 of 3 pages are done."]);
  });
});

describe('CSV of pages', () => {
  const document = {
    markdown: '- tea, "green"\n- black',
    links: ['https://a.test/b'],
    metadata: { url: 'https://a.test/', title: '=HYPERLINK("x")', statusCode: 200, keywords: ['a', 'b'] },
  };

  it('has the fields of the documents, and what only some pages have, such as a warning', () => {
    assert.deepEqual(fieldsOf([document]), [
      'url',
      'title',
      'statusCode',
      'error',
      'warning',
      'markdown',
      'links',
      'keywords',
    ]);
  });

  it('quotes what needs quotes, and neutralizes formulas', () => {
    assert.equal(
      csvOf([csvValues(document, ['url', 'title', 'statusCode', 'error', 'markdown', 'keywords'])]),
      `https://a.test/,"'=HYPERLINK(""x"")",200,,"'- tea, ""green""\n- black","[""a"",""b""]"\r\n`,
    );
    const cell = (text: string) => csvOf([[text]]).trimEnd();
    for (const text of ['=1', '+1+1', '-1+1', '- HYPERLINK', '+ A1', '@SUM(A1)', '\t=1', '\n=1', '＝1+1', '-A1'])
      assert.equal(cell(text), `"'${text}"`);
    for (const text of ['-3.5', '-1,234.50', '-5%', '-1e-7', 'a-b', '1=1', '−2']) assert.match(cell(text), /^[^']+$/);
  });

  it('leaves out what a terminal obeys or what hides text', () => {
    const rows = [['\x1b]0;owned\x07Tea\x9b2J\ttable', ['\x9bnested'], '\0=1']];
    assert.equal(csvOf(rows), `"]0;ownedTea2J\ttable","[""nested""]","'=1"\r\n`);
  });

  it('quotes separators of cells that a spreadsheet may know besides the comma', () => {
    assert.equal(csvOf([['tea;=1+1', 'green\t=1+1', 'black']]), '"tea;=1+1","green\t=1+1",black\r\n');
  });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import * as fc from 'fast-check';
import {
  ConversionError,
  type Converters,
  createConverters,
  openConverters,
} from '../../../src/service/web/scrape/convert/convert.ts';
import { convertPage } from '../../../src/service/web/scrape/convert/convert-page.ts';
import type { ConvertTask } from '../../../src/service/web/scrape/convert/tasks.ts';
import { docx, wordParagraph } from '../../harness/documents.ts';
import { patience } from '../../harness/eventually.ts';

const options = {
  url: 'https://site.test/',
  onlyMainContent: true,
  onlyCleanContent: false,
  removeBase64Images: true,
  markdown: true,
  html: true,
};

describe('hostile pages (CRW-08)', () => {
  const pages: Record<string, string> = {
    'a million nested elements': '<div>'.repeat(1_000_000),
    'nested lists without end': '<ul><li>'.repeat(200_000),
    'nested tables without end': '<table><tr><td>'.repeat(100_000),
    'nested tables with numbers beside code without end': `<pre>${'<table><tr><td>1 2<td>'.repeat(600)}`,
    'nested tables in gutters without end': `<pre>${'<table><tr><td>1<td>x</td></tr><tr><td>2'.repeat(600)}`,
    'a hundred thousand toolbars beside code': `<pre>x</pre>${'<i class=toolbar></i>'.repeat(100_000)}`,
    'formatting that is never closed': '<p><b><i><a href=x>'.repeat(100_000),
    'closing tags alone': '</div></p></table>'.repeat(300_000),
    'an attribute of megabytes': `<a href="${'a'.repeat(5_000_000)}" title="${'b'.repeat(1_000_000)}">x</a>`,
    'a hundred thousand attributes': `<p ${Array.from({ length: 100_000 }, (_, index) => `a${index}=1`).join(' ')}>x</p>`,
    'unfinished tags': '<a'.repeat(500_000),
    'unfinished comments': '<!--'.repeat(500_000),
    'a hundred thousand entities': '&amp;&#x;&notanentity;&#99999999;'.repeat(30_000),
    'nothing but blanks': ' \n\t'.repeat(1_000_000),
    'bases and links that are none': '<base href="javascript:x"><a href="http://["></a><a href="\0">y</a>',
    'mixed worlds':
      '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>"><math><mi><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1&gt;">',
    'a hundred thousand formulas': `<div>${'<math></math>'.repeat(100_000)}`,
    'tens of thousands of links': Array.from({ length: 30_000 }, (_, index) => `<a href=/${index}>x</a>`).join(''),
    'tens of thousands of buttons before hidden parts': `<h1>x</h1>${'<button>what</button><div hidden>Some text.</div>'.repeat(60_000)}`,
    'tens of thousands of headings in boxes': `<h1>x</h1>${'<div><h2>x</h2></div>'.repeat(60_000)}`,
    'a page of quotes': `${'<blockquote>'.repeat(1_900)}x`,
  };
  for (const [what, page] of Object.entries(pages)) {
    it(`survives ${what}`, () => {
      const result = convertPage(page, options);
      assert.equal(typeof result.markdown, 'string');
      assert.doesNotMatch(result.html ?? '', /<script|onerror=/);
    });
  }

  it('report parts that are nested too deeply', () => {
    assert.equal(convertPage('<div>'.repeat(3000), options).isCut, true);
  });

  it('give a result for any input', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '=',
      '/',
      'a',
      ' ',
      '\n',
      '&',
      ';',
      '<p>',
      '</p>',
      '<a href="',
      '<table>',
      '<td>',
      '<pre>',
      '<li>',
      '<!--',
      '-->',
      '<script>',
      '</script>',
      '<main>',
      '<nav>',
      '<img src=',
      '\0',
      '\ud800',
      'é',
      '`',
      '|',
      '<![CDATA[',
      '<svg>',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const result = convertPage(pieces.join(''), options);
        assert.equal(typeof result.markdown, 'string');
      }),
    );
  });
});

describe('converters', () => {
  let converters: Converters;
  const signal = new AbortController().signal;
  const task = (html: string, more: Partial<ConvertTask> = {}): ConvertTask => ({
    kind: 'html',
    body: Buffer.from(html),
    contentType: 'text/html; charset=utf-8',
    raw: false,
    maxPages: 10,
    lists: { links: true, contentLinks: true, images: true },
    options,
    ...more,
  });
  const convert = (html: string, more: Partial<ConvertTask> = {}, timeoutMs = patience) =>
    converters.convert(task(html, more), limitsOf(timeoutMs));
  const limitsOf = (timeoutMs: number) => ({ team: 'default', timeoutMs, deadlineMs: patience, signal });
  const breaking = { threads: 1, reserve: 0, program: join(import.meta.dirname, 'breaking-worker.ts') };
  /** Takes far longer than any test waits. */
  const endless = '<'.repeat(9_000_000);

  before(() => {
    converters = createConverters({ threads: 2 });
  });
  after(() => converters.close());

  it('convert pages, texts and data', async () => {
    assert.equal((await convert('<h1>x</h1>')).markdown, '# x');
    assert.equal((await convert('plain * text', { kind: 'text', contentType: 'text/plain' })).markdown, 'plain * text');
    const json = await convert('{"a": "```"}\n```\n', { kind: 'text', contentType: 'application/json' });
    assert.equal(json.markdown, '````json\n{"a": "```"}\n```\n````');
    assert.equal((await convert('a\0b', { raw: true })).raw, 'a\ufffdb');
  });

  it('tell what a page says however long it is, to compare it', async () => {
    for (const length of [1_000, 5_000_000]) {
      const html = `<p>${'word 1 '.repeat(length / 7)}</p>`;
      const asked = { ...options, wording: true };
      const { wording } = await convert(html, { options: asked });
      assert.ok(wording?.pairs.length);
      assert.deepEqual(wording, convertPage(html, asked).wording);
    }
  });

  it('free the body of a page that the caller no longer needs', async () => {
    const kept = task('<h1>x</h1>', { body: new TextEncoder().encode('<h1>kept</h1>') });
    const given = task('<h1>x</h1>', { body: new TextEncoder().encode('<h1>given</h1>') });
    await converters.convert(kept, limitsOf(patience));
    await converters.convert(given, { ...limitsOf(patience), keepsBody: false });
    assert.equal(Buffer.from(kept.body).toString(), '<h1>kept</h1>');
    assert.equal(given.body.byteLength, 0);
  });

  it('give up on a page that takes too long, and continue with the next', async () => {
    await assert.rejects(
      convert(endless, {}, 200),
      (error) => error instanceof ConversionError && error.kind === 'timeout',
    );
    assert.equal((await convert('<p>next')).markdown, 'next');
  });

  it('work in parallel', async () => {
    const own = createConverters({ threads: 2, program: join(import.meta.dirname, 'breaking-worker.ts') });
    const held = assert.rejects(own.convert(task('wait'), limitsOf(patience)), /shutting down/);
    assert.equal((await own.convert(task('other'), limitsOf(patience))).markdown, 'page 1');
    await own.close();
    await held;
  });

  it('let no team wait behind a page of another one that takes long', async () => {
    const own = createConverters({ ...breaking, costMs: patience });
    await own.convert(task('first'), limitsOf(patience));
    const held = assert.rejects(own.convert(task('hold'), limitsOf(patience)), /shutting down/);
    const other = own.convert(task('other'), { ...limitsOf(patience), team: 'other' });
    assert.equal((await other).markdown, 'page 1');
    await own.close();
    await held;
  });

  it('distinguish invalid options from invalid files', async () => {
    await assert.rejects(convert('<p>', { options: { ...options, includeTags: ['p[['] } as ConvertTask['options'] }), {
      kind: 'selector',
    });
    await assert.rejects(convert('no PDF', { kind: 'pdf' }), { kind: 'file' });
  });

  it('compare texts of many lines in a thread, however short the lines are', async () => {
    const threads = createConverters({ threads: 1, program: join(import.meta.dirname, 'breaking-worker.ts') });
    const own = openConverters(undefined, threads);
    const compare = (previous: string, current: string) =>
      own.compare(previous, current, { team: 'default', signal: () => signal });
    const inThread = async (previous: string, current: string) => !Array.isArray(await compare(previous, current));
    assert.equal(await inThread('a\n'.repeat(2000), 'b\n'.repeat(2000)), true);
    assert.equal(await inThread('\n'.repeat(500), ''), true);
    assert.equal(await inThread('a'.repeat(10_000), 'b'.repeat(10_000)), true);
    assert.equal(await inThread('a\n'.repeat(50), 'b\n'.repeat(50)), false);
    await own.close();
  });

  it('end with a page that needs much more memory at once than there is, and nothing else does (CON-02)', async () => {
    const own = createConverters({ ...breaking, costMs: patience });
    await own.convert(task('first'), limitsOf(patience));
    await assert.rejects(own.convert(task('swell'), limitsOf(patience)), /would take more than 400 MB of memory/);
    assert.equal((await own.convert(task('next'), limitsOf(patience))).markdown, 'page 1');
    await own.close();
  });

  it('may not become far longer when they are converted (CON-03)', async () => {
    const own = createConverters({ threads: 1, reserve: 0, costMs: patience });
    const links = Array.from({ length: 12_000 }, (_, index) => `<a href=${index}>x</a> `).join('');
    const grown: ConvertTask[] = [
      { ...task(''), kind: 'zip', body: docx(wordParagraph('word '.repeat(8_000_000))) },
      task(`<base href="https://site.test/${'a'.repeat(4000)}/">${links}`),
    ];
    for (const page of grown)
      await assert.rejects(own.convert(page, limitsOf(patience)), {
        kind: 'timeout',
        message: /^The page is too complex: converted, it would have more than 3\d million characters\. Ask for /,
      });
    await own.close();
  });

  it('are whole however long they are, with everything that was found', async () => {
    const own = createConverters({ threads: 1, reserve: 0 });
    const text = 'é "words" \\ \u{1f600}\n'.repeat(400_000);
    const page = { ...task(text), kind: 'text' as const, raw: true };
    const { markdown, raw, links } = await own.convert(page, limitsOf(patience));
    await own.close();
    assert.ok(markdown === text && raw === text);
    assert.deepEqual(links, []);
  });

  it('go on after a page that fails, in the same thread', async () => {
    const own = createConverters(breaking);
    const results = ['first', 'break', 'next'].map((html) => own.convert(task(html), limitsOf(patience)));
    const [first, broken, next] = await Promise.allSettled(results);
    await own.close();
    assert.equal(first?.status === 'fulfilled' && first.value.markdown, 'page 1');
    assert.ok(broken?.status === 'rejected' && broken.reason.kind === 'page');
    assert.match(String(broken.reason), /The page couldn't be converted: it stopped/);
    assert.equal(next?.status === 'fulfilled' && next.value.markdown, 'page 3');
  });

  it('say of a page that needs too much memory what they say of one that takes too long', async () => {
    const own = createConverters({ ...breaking, costMs: patience });
    const [large, next] = await Promise.allSettled(
      ['fill the memory', 'next'].map((html) => own.convert(task(html), limitsOf(patience))),
    );
    await own.close();
    assert.ok(large?.status === 'rejected' && large.reason.kind === 'timeout');
    assert.match(
      String(large.reason),
      /The page is too complex: converting it would take more than \d+ MB of memory\./,
    );
    assert.equal(next?.status, 'fulfilled');
  });

  it('drop a task that nobody waits for anymore', async () => {
    const given = new AbortController();
    const busy = [convert(endless, {}, 1000), convert(endless, {}, 1000)].map((each) => assert.rejects(each));
    const waiting = converters.convert(task('<p>x'), { ...limitsOf(1000), signal: given.signal });
    given.abort();
    await assert.rejects(waiting);
    await Promise.all(busy);
  });

  it("don't keep the memory of a large page while they are idle (BUD-23)", async () => {
    const started = once(process, 'worker');
    const own = createConverters({ threads: 1 });
    const links = Array.from({ length: 30_000 }, (_, index) => `<a href=/${index}>x</a>`).join('');
    await own.convert(task(links), limitsOf(patience));
    const [thread] = await started;
    await once(thread, 'exit');
    assert.equal((await own.convert(task('<p>next'), limitsOf(patience))).markdown, 'next');
    await own.close();
  });

  it('finish their work before they close', async () => {
    const own = createConverters({ threads: 1 });
    const doing = assert.rejects(own.convert(task(endless), limitsOf(patience)));
    await own.close();
    await doing;
    await assert.rejects(own.convert(task('<p>x'), limitsOf(1000)));
  });
});

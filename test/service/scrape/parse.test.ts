import assert from 'node:assert/strict';
import { request } from 'node:http';
import { createClient } from '../../../src/client/client.ts';
import { limits } from '../../../src/contract/limits.ts';
import { docx, pdf, wordParagraph, xlsx, zipOf } from '../../harness/documents.ts';
import { bytes, type FaultySite, startFaultySite } from '../../harness/faulty-site.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

describe('parse', () => {
  let site: FaultySite;
  let service: TestService;
  before(async () => {
    [site, service] = await Promise.all([startFaultySite(), startTestService()]);
  });
  after(() => Promise.all([site.close(), service.close()]));

  const word = docx(wordParagraph('Head', 'Heading1') + wordParagraph('Words'));
  const three = pdf(['One', 'Two', 'Three'].map((text) => [{ x: 72, y: 720, text }]));

  /** Uploads as published clients do: some send the options before the file, some after it. */
  async function upload(content: Uint8Array, name: string, options?: object, { type = '', optionsLast = false } = {}) {
    const form = new FormData();
    if (options && !optionsLast) form.append('options', JSON.stringify(options));
    form.append('file', new Blob([Uint8Array.from(content)], { type }), name);
    if (options && optionsLast) form.append('options', JSON.stringify(options));
    return await send(form);
  }
  // biome-ignore lint/suspicious/noExplicitAny: tests read the JSON they expect
  async function send(body: FormData): Promise<{ status: number; body: any }> {
    const headers = { authorization: `Bearer ${service.apiKey}` };
    const response = await fetch(`${service.baseUrl}/v2/parse`, { method: 'POST', headers, body });
    return { status: response.status, body: await response.json() };
  }

  it('returns an uploaded file as a document, as for a page, and keeps it', async () => {
    const formats = ['markdown', 'html', 'links'];
    for (const optionsLast of [false, true]) {
      const { status, body } = await upload(word, 'notes.docx', { formats, origin: 'test' }, { optionsLast });
      assert.equal(status, 200);
      assert.equal(body.success, true);
      assert.equal(body.data.markdown, '# Head\n\nWords');
      assert.match(body.data.html, /<h1>/);
      assert.deepEqual(body.data.links, []);
      const { metadata } = body.data;
      assert.deepEqual(
        [metadata.title, metadata.sourceURL, metadata.statusCode, metadata.creditsUsed],
        ['The title', 'notes.docx', 200, 1],
      );
      assert.deepEqual((await service.call('GET', `/v2/scrape/${metadata.scrapeId}`)).body, body);
    }
  });

  it('accepts the file that this client sends, whatever its name', async () => {
    const { baseUrl, apiKey } = service;
    const client = createClient({ baseUrl, apiKey, fetch });
    const name = 'folder\\Grüße "2"\r\n.docx';
    const { data } = await client.parseFile({
      body: { formats: ['markdown'] },
      file: { name, contentType: undefined, content: word },
    });
    assert.equal(data.markdown, '# Head\n\nWords');
    assert.equal(data.metadata?.sourceURL, 'Grüße "2".docx');
  });

  it('is divided into its pages, if the parser is asked to', async () => {
    const divided = async (division: object) => {
      const { body } = await upload(three, 'three.pdf', { parsers: [{ type: 'pdf', pageRange: '2-3', ...division }] });
      return [body.data.markdown, body.data.pages];
    };
    const pages = [
      { pageNumber: 2, markdown: 'Two' },
      { pageNumber: 3, markdown: 'Three' },
    ];
    const marked = 'Two\n\n---\n\n<!-- page 3 -->\n\nThree';
    assert.deepEqual(await divided({ pages: true }), ['Two\n\nThree', pages]);
    assert.deepEqual(await divided({ pageMarkers: true }), [marked, undefined]);
    assert.deepEqual(await divided({ pages: true, pageMarkers: true }), [marked, pages]);
    assert.deepEqual(await divided({ pages: false }), ['Two\n\nThree', undefined]);
  });

  it('is read with options of any length, which are checked all the same', async () => {
    const excludeTags = Array.from({ length: 100 }, (_, index) => `.name-${index}-${'x'.repeat(1000)}`);
    const page = Buffer.from(`<main><p>Words</p><p class="${excludeTags[7]?.slice(1)}">more</p></main>`);
    const { status, body } = await upload(page, 'page.html', { excludeTags });
    assert.deepEqual([status, body.data?.markdown], [200, 'Words'], JSON.stringify(body).slice(0, 300));
    const wrong = await upload(page, 'page.html', { excludeTags, formatz: [] });
    assert.equal(wrong.status, 400);
    assert.match(wrong.body.error, /unknown field "formatz"/);
  });

  it('is listed in activity under the name of the file, and charged by the page', async () => {
    const before = (await service.call('GET', '/v2/team/credit-usage')).body.data;
    const { body } = await upload(three, 'three.pdf', { parsers: [{ type: 'pdf', pageRange: '2-3' }] });
    assert.equal(body.data.markdown, 'Two\n\nThree');
    assert.deepEqual([body.data.metadata.numPages, body.data.metadata.creditsUsed], [2, 2]);
    const { data } = (await service.call('GET', '/v2/team/activity?limit=1')).body;
    assert.deepEqual(
      [data[0].id, data[0].endpoint, data[0].target],
      [body.data.metadata.scrapeId, 'scrape', 'three.pdf'],
    );
    assert.ok(before);
  });

  it('fetches and returns the file at a URL, also for scrapes', async () => {
    site.answer('/sheet', bytes(xlsx({ S: '<row><c t="s"><v>0</v></c></row>' }), 'application/vnd.ms-excel'));
    for (const path of ['/v2/parse', '/v2/scrape']) {
      const { status, body } = await service.call('POST', path, { url: `${site.baseUrl}/sheet` });
      assert.equal(status, 200);
      assert.match(body.data.markdown, /^## S\n\n\| Name \|/);
      assert.equal(body.data.metadata.sourceURL, `${site.baseUrl}/sheet`);
    }
  });

  it('logs no warning for a long response', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);
    try {
      const { body } = await upload(Buffer.from(`<p>${'word '.repeat(200_000)}`), 'long.html');
      assert.ok(body.data.markdown.length > 900_000);
      assert.deepEqual(warnings, []);
    } finally {
      process.off('warning', onWarning);
    }
  });

  it('reads web pages and tables that are uploaded, by their extension', async () => {
    const page = Buffer.from(
      '<title>T</title><nav><a href="/x">menu</a></nav><main><h1>Page</h1><a href="b">b</a></main>',
    );
    const html = await upload(page, 'page.html', undefined, { type: 'text/plain;charset=utf-8' });
    assert.equal(html.body.data.markdown, '# Page\n\n[b](b)');
    const table = await upload(Buffer.from('a,b\n1,2\n'), 'table.csv');
    assert.match(table.body.data.markdown, /^\| a \| b \|/);
  });

  it('returns a PDF unchanged if no parser for it is requested', async () => {
    const { body } = await upload(three, 'three.pdf', { parsers: [] });
    assert.equal(body.data.rawBase64, three.toString('base64'));
    assert.equal(body.data.markdown, body.data.rawBase64);
    assert.equal(body.data.metadata.creditsUsed, 1);
  });

  it('does not open a session for a file', async () => {
    const { body } = await upload(word, 'notes.docx');
    const path = `/v2/scrape/${body.data.metadata.scrapeId}/interact`;
    const { status, body: answer } = await service.call('POST', path, { code: '1' });
    assert.deepEqual([status, answer.code], [409, 'NO_REPLAY_CONTEXT']);
  });

  const refused: [what: string, content: Uint8Array, name: string, options: object | undefined, error: RegExp][] = [
    ['an empty file', Buffer.alloc(0), 'a.pdf', undefined, /the file is empty/],
    ['an archive of other files', zipOf({ 'a.txt': 'x' }), 'a.docx', undefined, /archive, but not a document/],
    [
      'a picture with the extension of a document',
      Buffer.from([0x89, 0x50, 0, 1]),
      'a.docx',
      undefined,
      /isn't supported/,
    ],
    ['a damaged PDF', Buffer.from('%PDF-1.7'), 'a.pdf', undefined, /can't be read/],
    ['a page range without pages', three, 'a.pdf', { parsers: [{ type: 'pdf', pageRange: '9' }] }, /none of them/],
    ['an invalid page range', three, 'a.pdf', { parsers: [{ type: 'pdf', pageRange: 'x' }] }, /pages and ranges/],
    ['blocks of pages', three, 'a.pdf', { parsers: [{ type: 'pdf', blocks: true }] }, /doesn't find the blocks/],
    ['actions', word, 'a.docx', { actions: [{ type: 'scrape' }] }, /actions can't be used with an uploaded file/],
    ['a screenshot', word, 'a.docx', { formats: ['screenshot'] }, /screenshot format can't be used/],
    ['a URL with the file', word, 'a.docx', { url: 'https://site.test/' }, /not both/],
    ['unknown options', word, 'a.docx', { formatz: [] }, /unknown field "formatz"/],
  ];
  for (const [what, content, name, options, error] of refused) {
    it(`refuses ${what}`, async () => {
      const { status, body } = await upload(content, name, options);
      assert.deepEqual([status, body.success], [400, false]);
      assert.match(body.error === 'Bad Request' ? JSON.stringify(body.details) : body.error, error);
    });
  }

  it('refuses requests without a file, with other fields, and with options that are not JSON', async () => {
    const empty = new FormData();
    empty.append('options', '{}');
    assert.match((await send(empty)).body.error, /file: expected a file/);
    const other = new FormData();
    other.append('document', new Blob(['x']), 'x.txt');
    assert.match((await send(other)).body.error, /name the field "file"/);
    const text = new FormData();
    text.append('options', 'x');
    assert.match((await send(text)).body.error, /options: expected JSON/);
    const nothing = await service.call('POST', '/v2/parse', {});
    assert.match(nothing.body.error, /expected a file or "url"/);
  });

  it('refuses a body that ends early, and continues to serve', async () => {
    const status = await new Promise((resolve, reject) => {
      const sent = request(`${service.baseUrl}/v2/parse`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'multipart/form-data; boundary=x' },
      });
      sent.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
      sent.end('--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nunfinished');
    });
    assert.equal(status, 400);
    assert.equal((await upload(word, 'notes.docx')).status, 200);
  });

  it('refuses a file of 200 MB by its declared size, and one that is larger than declared by its content', async () => {
    const declared = await new Promise((resolve, reject) => {
      const sent = request(`${service.baseUrl}/v2/parse`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${service.apiKey}`,
          'content-type': 'multipart/form-data; boundary=x',
          'content-length': 200 * 1024 * 1024,
        },
      });
      sent.on('response', (response) => {
        resolve(response.resume().statusCode);
        sent.destroy();
      });
      sent.on('error', reject);
      sent.write('--x\r\n');
    });
    assert.equal(declared, 413);
    const { status, body } = await upload(Buffer.alloc(limits.parsedFile + 1, 'x'), 'big.txt');
    assert.equal(status, 413);
    assert.match(body.error, /limit is 50 MiB/);
  });

  it('accepts multipart on no other path', async () => {
    const form = new FormData();
    form.append('file', new Blob(['x']), 'x.txt');
    const headers = { authorization: `Bearer ${service.apiKey}` };
    const response = await fetch(`${service.baseUrl}/v2/scrape`, { method: 'POST', headers, body: form });
    assert.equal(response.status, 415);
    assert.match(((await response.json()) as { error: string }).error, /Only JSON/);
  });
});

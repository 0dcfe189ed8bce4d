import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mask } from '../../src/service/browsers/traffic/masking.ts';
import { docx, wordParagraph } from '../harness/documents.ts';
import { eventually } from '../harness/eventually.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { sampleOf } from '../harness/sample.ts';
import { call, type ServiceProcess } from '../harness/service.ts';
import { measureTurns, spawnMeasured } from '../harness/turn-lengths.ts';

/** Just below what a page may have. */
const bytes = 10 * 1000 * 1000;
/** How often a document is requested before its turn counts as too long: collections of garbage aren't its fault. */
const attempts = 4;
const filled = (part: string) => part.repeat(bytes / Buffer.byteLength(part));
const documents: Record<string, { type: string; text: string }> = {
  'what JSON escapes': { type: 'text/plain', text: filled('"\\\t\u0001 ') },
  'plain words': { type: 'text/plain', text: filled('Words of a page that has many of them.\n') },
  'one long paragraph': { type: 'text/html', text: `<p>${filled('word ')}` },
  'another script': { type: 'text/plain; charset=utf-8', text: filled('страница на другом языке\n') },
};
const formats = ['markdown', 'html', 'rawHtml', 'links', { type: 'changeTracking', modes: ['git-diff'] }];

describe('a document of 10 MB', () => {
  let dataDir: string;
  let service: ServiceProcess;
  let site: Server;
  let page = documents['plain words'];
  before(async () => {
    dataDir = temporaryFolder();
    service = await spawnMeasured(dataDir);
    site = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': page?.type }).end(page?.text);
    });
    await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    service.child.kill('SIGKILL');
    await service.exited;
    site.closeAllConnections();
    site.close();
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });

  const send = async (method: string, path: string, body?: unknown) => {
    const sent = await call(service.line.baseUrl, service.line.apiKey ?? '', method, path, body);
    assert.equal(sent.status, 200, JSON.stringify(sent.body).slice(0, 300));
    return sent.body;
  };

  const urlOf = () => `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;

  /** Runs steps, and checks how long the longest turn of each was. */
  async function assertShortTurns(steps: Record<string, () => Promise<void>>): Promise<void> {
    const slow: string[] = [];
    for (const [step, run] of Object.entries(steps)) {
      let shortest = Number.POSITIVE_INFINITY;
      for (let attempt = 0; attempt < attempts && shortest > 1; attempt++) {
        await measureTurns(service);
        await run();
        const { turn, bound } = await measureTurns(service);
        shortest = Math.min(shortest, turn / bound);
      }
      if (shortest > 1) slow.push(`${step}: ${shortest.toFixed(1)} times as long as allowed`);
    }
    assert.deepEqual(slow, []);
  }

  for (const [name, document] of sampleOf(Object.entries(documents), 1)) {
    it(`TRN-05: of ${name} keeps nobody else waiting while it is scraped, stored and read`, async () => {
      page = document;
      const url = urlOf();
      const steps: Record<string, () => Promise<void>> = {};
      let scraped: { markdown: string; metadata: { scrapeId: string } } | undefined;
      let crawl = '';
      steps['scraping it'] = async () => {
        ({ data: scraped } = await send('POST', '/v2/scrape', { url, formats, timeout: 300_000 }));
      };
      steps['reading the scrape'] = async () => {
        const { data } = await send('GET', `/v2/scrape/${scraped?.metadata.scrapeId}`);
        assert.deepEqual(data, scraped);
      };
      steps['crawling it'] = async () => {
        const scrapeOptions = { formats, timeout: 300_000 };
        const { id } = await send('POST', '/v2/crawl', { url, limit: 1, sitemap: 'skip', scrapeOptions });
        crawl = `/v2/crawl/${id}`;
        await eventually(async () => {
          const { status } = await send('GET', `${crawl}?skip=1`);
          assert.equal(status, 'completed');
        });
      };
      steps['reading the crawl'] = async () => {
        const { data } = await send('GET', crawl);
        assert.equal(data[0].markdown, scraped?.markdown);
      };
      await assertShortTurns(steps);
    });
  }

  it('TRN-05: is compared with its last version while nobody else waits', async () => {
    // The last version is kept up to 4 MB of Markdown.
    const lines = (end: (index: number) => string) =>
      Array.from({ length: 100_000 }, (_, index) => `Line ${index} ${end(index)}`).join('\n');
    const longLines = (end: (index: number) => string) => () => [lines(() => ''), lines(end)];
    const versions = {
      'without a change': longLines(() => ''),
      'of one line': longLines((index) => (index === 50_000 ? 'changed' : '')),
      'of every thousandth line': longLines((index) => (index % 1000 === 0 ? 'new' : '')),
      'of every line': longLines((index) => `is a line of number ${index}`),
      'of very many short lines (TRN-20)': () => ['a\n'.repeat(2_000_000), 'b\n'.repeat(2_000_000)],
    };
    const steps: Record<string, () => Promise<void>> = {};
    let tag = 0;
    for (const [name, texts] of sampleOf(Object.entries(versions), 2)) {
      steps[`a comparison ${name}`] = async () => {
        const tracking = { type: 'changeTracking', modes: ['git-diff'], tag: `${++tag}` };
        let expected = 'new';
        for (const text of texts()) {
          page = { type: 'text/markdown', text };
          const { data } = await send('POST', '/v2/scrape', { url: urlOf(), formats: [tracking], timeout: 300_000 });
          assert.equal(data.changeTracking.changeStatus, expected);
          expected = name === 'without a change' ? 'same' : 'changed';
        }
      };
    }
    await assertShortTurns(steps);
  });

  it('TRN-05: may be what a small file becomes', async () => {
    const form = new FormData();
    form.append('file', new Blob([Uint8Array.from(docx(wordParagraph('word '.repeat(6_000_000))))]), 'words.docx');
    await assertShortTurns({
      'a file that becomes long': async () => {
        const response = await fetch(`${service.line.baseUrl}/v2/parse`, {
          method: 'POST',
          body: form,
          headers: { authorization: `Bearer ${service.line.apiKey}` },
        });
        assert.equal(response.status, 200);
        assert.ok((await response.text()).length > 2 * bytes);
      },
    });
  });

  it('TRN-09: of a session keeps nobody else waiting while it is logged, received and masked', async () => {
    const { id } = await send('POST', '/v2/browser', {});
    const session = `/v2/browser/${id}`;
    const run = async (code: string) => {
      const { exitCode, stderr } = await send('POST', `${session}/execute`, { code });
      assert.equal(exitCode, 0, stderr);
    };
    // Recording begins with the first look.
    await send('GET', `${session}/console`);
    const records = Array.from({ length: 80_000 }, (_, index) => ({ index, token: 'hidden', text: 'Words of a page' }));
    page = { type: 'application/json', text: JSON.stringify(records) };
    let lines = 0;
    await assertShortTurns({
      'a line of its console': async () => {
        await run(`await page.evaluate(() => console.log('x'.repeat(${3 * bytes})))`);
        lines++;
        await eventually(async () => {
          const { entries } = await send('GET', `${session}/console`);
          assert.equal(entries.length, lines);
        });
      },
      'a body with secrets': async () => {
        await run(`await page.goto('${urlOf()}')`);
        await eventually(async () => {
          const { requests } = await send('GET', `${session}/network?type=document`);
          const { responseBody } = await send('GET', `${session}/network/${requests.at(-1).id}`);
          assert.equal(responseBody.text, page?.text.replaceAll('"hidden"', `"${mask}"`));
        });
      },
    });
    await send('DELETE', session);
  });
});

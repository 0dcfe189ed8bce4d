import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentOfHtml } from '../../../src/service/assistants/docs-search/html-files.ts';
import { tooDeep } from '../../../src/service/web/scrape/read-page.ts';
import type { ScrapedPage, ScrapeRequest } from '../../../src/service/web/scrape/scrape.ts';
import { temporaryFolder } from '../../harness/folders.ts';

describe('files of HTML as texts', () => {
  let folder: string;
  before(() => {
    folder = realpathSync(temporaryFolder());
    for (const name of ['a.html', 'slow.html', 'deep.html', 'empty.html'])
      writeFileSync(join(folder, name), `<p>${name}</p>`);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  async function scrape({ file }: ScrapeRequest): Promise<ScrapedPage> {
    if (file?.name === 'slow.html') throw new Error('It takes too long.');
    const markdown = file?.name === 'a.html' ? new TextDecoder().decode(file.content) : '';
    const emptyPage = 'No text was found on the page.';
    const warning = markdown ? null : file?.name === 'deep.html' ? `${tooDeep} ${emptyPage}` : emptyPage;
    return { document: { markdown, warning, metadata: { title: 'A' } } } as ScrapedPage;
  }

  async function read(...given: Parameters<typeof contentOfHtml>) {
    const pages = [];
    for await (const batch of contentOfHtml(...given)) pages.push(...batch);
    return pages;
  }

  it('go on after those that cannot be read or converted, which are told', async () => {
    const names = ['missing.html', 'slow.html', 'deep.html', 'empty.html', 'a.html'];
    const files = names.map((name) => ({ path: join(folder, name), address: `file:///${name}` }));
    const failed: string[] = [];
    const onFailure = (address: string, error: unknown) =>
      failed.push(`${address.slice('file:///'.length)} ${String(error).slice(0, 26)}`);
    const pages = await read(folder, files, { scrape }, 'team', new AbortController().signal, onFailure);
    assert.deepEqual(pages, [{ address: 'file:///a.html', title: 'A', markdown: '<p>a.html</p>' }]);
    assert.deepEqual(failed, [
      'missing.html Error: ENOENT: no such fil',
      'slow.html Error: It takes too long.',
      'deep.html The page is nested too dee',
    ]);
  });

  it('are not read through a link that one was exchanged for (DOC-01)', async () => {
    const [docs, outside] = ['docs', 'outside'].map((name) => join(folder, name)) as [string, string];
    mkdirSync(outside);
    writeFileSync(join(outside, 'a.html'), '<p>secret</p>');
    symlinkSync(outside, docs, 'junction');
    const files = [{ path: join(docs, 'a.html'), address: 'file:///a.html' }];
    const failed: string[] = [];
    const { signal } = new AbortController();
    const pages = await read(docs, files, { scrape }, 'team', signal, (_address, error) => failed.push(String(error)));
    assert.deepEqual([pages, failed], [[], ['Error: It now leads out of the folder.']]);
  });

  it('are not read any longer once the service stops', async () => {
    const files = [{ path: join(folder, 'a.html'), address: 'file:///a.html' }];
    const stopped = AbortSignal.abort(new Error('stopping'));
    await assert.rejects(
      read(folder, files, { scrape }, 'team', stopped, () => assert.fail()),
      /stopping/,
    );
  });
});

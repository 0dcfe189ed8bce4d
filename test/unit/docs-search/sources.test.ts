import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDocsSources, type DocsSources } from '../../../src/service/assistants/docs-search/sources.ts';
import { currentAsker } from '../../../src/service/platform/asker.ts';
import { silentLog } from '../../../src/service/platform/log.ts';
import type { ScrapedPage, ScrapeRequest } from '../../../src/service/web/scrape/scrape.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { temporaryFolder } from '../../harness/folders.ts';

describe('the folders of docs sources', () => {
  let root: string;
  const opened: DocsSources[] = [];
  beforeEach(() => {
    root = realpathSync(temporaryFolder());
  });
  afterEach(() => {
    for (const sources of opened.splice(0)) sources.close();
    rmSync(root, { recursive: true, force: true });
  });
  const open = (scrape: (request: ScrapeRequest) => Promise<ScrapedPage>) => {
    const sources = createDocsSources({
      directory: join(root, 'indexes'),
      reference: join(root, 'none.sqlite'),
      scraper: { scrape },
      jobs: { find: () => assert.fail(), documents: () => assert.fail() },
      folders: [],
      isGranted: async () => true,
      clock: createFakeClock(),
      log: silentLog,
    });
    opened.push(sources);
    return sources;
  };
  const write = (name: string, text: string) => {
    const folder = join(root, name);
    mkdirSync(folder, { recursive: true });
    for (const file of ['a.html', 'bad.html']) writeFileSync(join(folder, file), text);
    return folder;
  };
  const page = async ({ file }: ScrapeRequest): Promise<ScrapedPage> => {
    if (file?.name === 'bad.html') throw new Error('It is too much.');
    const markdown = new TextDecoder().decode(file?.content);
    return { document: { markdown, warning: null, metadata: { title: 'A' } } } as ScrapedPage;
  };

  it('keep the warning of what could not be read, until it changes', async () => {
    const folder = write('one', 'The kettle is blue.');
    const expected = '1 of its files could not be read as a whole, such as bad.html: It is too much.';
    assert.equal((await open(page).addFolder('one', folder)).warning, expected);
    const again = open(() => assert.fail('nothing is read again'));
    await again.ready();
    assert.equal((await again.addFolder('one', folder)).warning, expected);
  });

  it('are indexed at the start for their teams, none of which waits for another one (F6)', async () => {
    const first = open(page);
    await first.addFolder('one', write('one', 'The kettle is blue.'));
    await first.addFolder('other', write('other', 'The cup is red.'));
    first.close();
    write('one', 'The kettle is green.');
    write('other', 'The cup is yellow now.');
    const { promise, resolve } = Promise.withResolvers<string[]>();
    const teams: string[] = [];
    open(async (request) => {
      teams.push(currentAsker()?.team ?? '');
      if (teams.length === 2) resolve(teams);
      return teams.length > 2 ? await page(request) : await new Promise(() => undefined);
    });
    assert.deepEqual((await promise).sort(), ['one', 'other']);
  });
});

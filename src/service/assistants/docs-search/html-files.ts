import { basename } from 'node:path';
import { scrapeOptions } from '../../../contract/scrape/scrape.ts';
import { readWithin } from '../../platform/system/read-within.ts';
import { tooDeep } from '../../web/scrape/read-page.ts';
import type { Scraper } from '../../web/scrape/scrape.ts';
import { maxFileBytes } from './index/source-files.ts';
import type { NewText } from './thread/thread.ts';

const options = scrapeOptions.parse({ formats: ['markdown'], storeInCache: false });

/**
 * Yields the main content of files of HTML, as that of the pages of a crawl.
 * @param folder where they are, without symbolic links
 * @param onFailure called with the address of a file that can't be read or converted as a whole
 */
export async function* contentOfHtml(
  folder: string,
  files: readonly { path: string; address: string }[],
  scraper: Pick<Scraper, 'scrape'>,
  team: string,
  signal: AbortSignal,
  onFailure: (address: string, error: unknown) => void,
): AsyncGenerator<NewText[]> {
  for (const { path, address } of files) {
    signal.throwIfAborted();
    try {
      const content = await readWithin(folder, path, maxFileBytes);
      const file = { name: basename(path), contentType: 'text/html', content };
      const { document } = await scraper.scrape({ url: file.name, file, options, team, signal });
      const { markdown, metadata, warning } = document;
      if (warning?.includes(tooDeep)) onFailure(address, tooDeep);
      if (markdown) yield [{ address, title: metadata.title ?? undefined, markdown }];
    } catch (error) {
      signal.throwIfAborted();
      onFailure(address, error);
    }
  }
}

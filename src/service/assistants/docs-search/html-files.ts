import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { scrapeOptions } from '../../../contract/scrape/scrape.ts';
import { tooDeep } from '../../web/scrape/read-page.ts';
import type { Scraper } from '../../web/scrape/scrape.ts';
import type { NewText } from './thread/thread.ts';

const options = scrapeOptions.parse({ formats: ['markdown'], storeInCache: false });

/**
 * Yields the main content of files of HTML, as that of the pages of a crawl.
 * @param onFailure called with the address of a file that can't be read or converted as a whole
 */
export async function* contentOfHtml(
  files: readonly { path: string; address: string }[],
  scraper: Pick<Scraper, 'scrape'>,
  team: string,
  signal: AbortSignal,
  onFailure: (address: string, error: unknown) => void,
): AsyncGenerator<NewText[]> {
  for (const { path, address } of files) {
    signal.throwIfAborted();
    try {
      const file = { name: basename(path), contentType: 'text/html', content: await readFile(path) };
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

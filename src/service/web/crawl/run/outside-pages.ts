import { shorten } from '../../../../contract/shorten.ts';
import { inTurns } from '../../../platform/async.ts';
import { shapeOf } from '../scope/shapes.ts';
import type { NewPage } from '../store/frontier.ts';

/** Pages of the crawl on which new ones of a kind are found, from which it isn't a menu that leads to them. */
const several = 2;
const maxKinds = 500;
/** URLs that are counted of a kind, and of all. */
const maxCounted = 1000;
const maxUrls = 20_000;

interface Kind {
  urls: Set<string>;
  /** Pages of the crawl on which some were found first. */
  foundOn: number;
  isOutsidePath: boolean;
}

/** Counts the pages that a crawl leaves out although its pages lead to them, by their kind: they may be what its lists list. */
export function createOutsidePages() {
  const kinds = new Map<string, Kind>();
  let urls = 0;
  return {
    /** Notes what was found on a page of the crawl. */
    async found(pages: readonly NewPage[]): Promise<void> {
      const grown = new Set<Kind>();
      await inTurns(pages, ({ url, role }) => {
        if (urls >= maxUrls || (role !== 'links' && role !== 'include' && role !== 'section')) return;
        const shape = shapeOf(new URL(url));
        if (kinds.size >= maxKinds && !kinds.has(shape)) return;
        const kind = kinds.get(shape) ?? { urls: new Set(), foundOn: 0, isOutsidePath: role === 'section' };
        kinds.set(shape, kind);
        if (kind.urls.size >= maxCounted || kind.urls.has(url)) return;
        kind.urls.add(url);
        urls++;
        grown.add(kind);
      });
      for (const kind of grown) kind.foundOn++;
    },
    /** Returns a warning if the crawl has fewer pages than there are of a kind that it leaves out. */
    warning(completed: number): string | undefined {
      const listed = [...kinds.values()].filter(({ urls, foundOn }) => foundOn >= several && urls.size > completed);
      const [most] = listed.sort((one, other) => other.urls.size - one.urls.size);
      if (!most) return undefined;
      const [example = ''] = most.urls;
      const [why, way] = most.isOutsidePath
        ? ['are outside the path of the start URL', 'start higher up or set crawlEntireDomain']
        : ["includePaths doesn't match", 'add a pattern that matches them to includePaths'];
      return `The pages of the crawl may be lists of others, which ${why}: ${most.urls.size} pages such as ${shorten(example)}. To get those, ${way}.`;
    },
  };
}

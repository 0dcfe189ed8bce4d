import { shorten } from '../../../../../contract/shorten.ts';
import { withoutQuery } from '../../scope/urls.ts';

/** Pages from which it is said that another one is shown in their place: a start page alone may only have moved. */
const several = 3;
const maxPages = 1_000;
const advice =
  'If it asks for consent or the like, set a profile in which consent was given, or headers with its cookie, in scrapeOptions.';

/** Counts the pages in whose place a site shows the same page as in place of its start page, such as one that asks for consent. */
export function createGate() {
  const pages = new Set<string>();
  let gate: string | undefined;

  return {
    /** Adds a page in whose place another one is shown, which names it in its query. Returns what is to be said, if anything. */
    add(shown: URL, asked: string, isStart: boolean): string | undefined {
      const at = withoutQuery(shown.href);
      if (isStart) gate = at;
      if (at !== gate) return undefined;
      if (pages.size < maxPages) pages.add(withoutQuery(asked));
      if (pages.size < several) return undefined;
      const count = `${pages.size < maxPages ? '' : 'at least '}${pages.size}`;
      return `The site shows ${shorten(at)} in place of ${count} pages, such as ${shorten(asked)}, so pages may be missing. ${advice}`;
    },
  };
}

import type { StreamRules } from '../../../browsers/page/settle.ts';
import { keepLast } from '../../../platform/last-used.ts';
import { domainOf } from './failed-parts.ts';

/** Pages of a job that waited in vain for what an address sends; further ones don't wait for it. */
const maxVain = 2;
/** Addresses that are remembered; the oldest are forgotten. */
const maxRemembered = 1000;

/** Knows which WebSockets and event sources the pages of a job wait for in vain, as those of a chat that nobody writes in. */
export function createSilentStreams() {
  const vain = new Map<string, number>();
  /** @param page returns the URL of the page */
  return (job: string | undefined, page: () => string): StreamRules => {
    const keyOf = (url: string) => `${job} ${url.replace(/[?#].*/s, '')}`;
    return {
      isOfPage: (url) => domainOf(URL.parse(url) ?? undefined) === domainOf(URL.parse(page()) ?? undefined),
      isAwaited: (url) => job === undefined || (vain.get(keyOf(url)) ?? 0) < maxVain,
      note(url, isSilent) {
        if (job !== undefined)
          keepLast(vain, keyOf(url), isSilent ? (vain.get(keyOf(url)) ?? 0) + 1 : 0, maxRemembered);
      },
    };
  };
}

import { pathsOf } from '../../../../contract/addresses.ts';
import { inTurns, nextTurn } from '../../../platform/async.ts';
import type { KnownSite } from '../map/known-site.ts';
import type { SweepRequest, Sweeps } from '../site/sweeps.ts';
import { beginningOf } from './reach.ts';
import { patternOf } from './sections.ts';

/** Whether a page with these paths is that of a section, or below it. */
const isIn = (section: string, paths: readonly string[]): boolean =>
  paths.some((path) => `${path}/`.startsWith(`${section}/`));

/**
 * Returns URLs without those of sections that are wanted and of which no page is there: they lead to a login or elsewhere, are gone
 * or disallowed, such as forms about each product of a shop. Some pages of each section are read for that, until the request is
 * aborted.
 * @param patterns those that are wanted
 */
export async function withoutEmptySections(
  urls: readonly string[],
  patterns: readonly string[],
  site: KnownSite,
  request: SweepRequest,
  sweeps: Pick<Sweeps, 'read'>,
): Promise<string[]> {
  const pathsByUrl = new Map<string, string[]>();
  await inTurns(urls, (url) => pathsByUrl.set(url, pathsOf(new URL(url))));
  const links = new Set([...site.found.values()].map(({ url }) => url));
  const isKnown = (url: string) => site.pageless.has(url) || site.pages.has(url);
  const empty: string[] = [];
  for (const pattern of patterns) {
    if (request.signal.aborted) break;
    await nextTurn();
    const section = beginningOf(pattern).find((path) => patternOf(path) === pattern);
    if (section === undefined) continue;
    const isOwn = (url: string) => isIn(section, pathsByUrl.get(url) ?? []);
    // The section of a feed has its name from that alone.
    const own = urls.filter((url) => isOwn(url) && links.has(url) && !site.feeds.has(url));
    const hasPage = (url: string) => {
      const page = site.pages.get(url);
      return page !== undefined && !site.pageless.has(url) && isIn(section, pathsOf(new URL(page.url)));
    };
    if (own.length === 0 || own.some(hasPage)) continue;
    const some = [0, 0.5, 1].map((share) => own[Math.round((own.length - 1) * share)] ?? '');
    const unknown = some.filter((url) => !isKnown(url));
    await sweeps.read(unknown, request).catch(() => undefined);
    if (some.every(isKnown) && !own.some(hasPage)) empty.push(section);
  }
  return urls.filter((url) => !empty.some((section) => isIn(section, pathsByUrl.get(url) ?? [])));
}

import { sql } from 'kysely';
import { type FoundIn, foundInPlaces } from '../../../../contract/crawl/crawl-jobs.ts';
import { textOfKey } from '../../../../contract/crawl/page-order.ts';

/** Where a page was found if that wasn't on another page, as stored beside the ids of pages. */
export const placeIds = { start: 0, sitemap: -1, earlier: -2, llmsTxt: -3, feed: -4 } as const satisfies Record<
  FoundIn,
  number
>;
const places = new Map<number | null, FoundIn>(foundInPlaces.map((place) => [placeIds[place], place]));

/** Where a page was found first, with that page, if it was one, as `linkedFrom` selects it. */
export interface Found {
  found_on: number | null;
  linked_from: string | null;
}

/** Selects the page on which one of `table` was found first: the key of the URL that it led to, or a space with the one it was found under. */
export const linkedFrom = (table: 'crawl_page' | 'page') =>
  sql<string | null>`(SELECT COALESCE(source.folder || source.name, ' ' || source.url)
    FROM crawl_page AS source WHERE source.id = ${sql.ref(table)}.found_on)`.as('linked_from');

/** Returns where a page was found first, for a response. */
export function findingOf({ found_on, linked_from }: Found): { linkedFrom?: string; foundIn?: FoundIn } {
  const place = places.get(found_on);
  const url = linked_from?.startsWith(' ') ? linked_from.slice(1) : linked_from && textOfKey(linked_from);
  return { ...(url && { linkedFrom: url }), ...(place && { foundIn: place }) };
}

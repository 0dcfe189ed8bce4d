import { isObject, jsonIn } from '../../../../contract/lenient-texts.ts';

/**
 * Returns where the items of a JSON feed lead, as they are written: to their URL, or to the one by which they are known.
 * Returns undefined for what is no such feed, or not a whole one.
 */
export function linksOfJsonFeed(text: string): string[] | undefined {
  const feed = jsonIn(text);
  if (!isObject(feed) || !Array.isArray(feed.items)) return undefined;
  return feed.items.flatMap((item: unknown) => {
    if (!isObject(item)) return [];
    if (typeof item.url === 'string') return [item.url];
    return typeof item.id === 'string' && /^https?:/i.test(item.id) ? [item.id] : [];
  });
}

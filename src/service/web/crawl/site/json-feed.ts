import { isObject, jsonIn } from '../../../../contract/lenient-texts.ts';

/** Characters of a JSON feed: it is parsed at once. */
export const longestJsonFeed = 512 * 1024;

/**
 * Yields where the items of a JSON feed lead, as they are written: to their URL, or to the one by which they are known.
 * Yields undefined for others, and nothing for what is no such feed, or not a whole one.
 */
export function* linksOfJsonFeed(text: string): Generator<string | undefined> {
  const feed = jsonIn(text);
  const items: unknown[] = isObject(feed) && Array.isArray(feed.items) ? feed.items : [];
  for (const item of items) {
    const { url, id } = isObject(item) ? item : {};
    yield typeof url === 'string' ? url : typeof id === 'string' && /^https?:/i.test(id) ? id : undefined;
  }
}

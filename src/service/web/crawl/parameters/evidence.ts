import type { KnownSite } from '../map/known-site.ts';
import { shapeOf } from '../scope/shapes.ts';
import { comparable, type Evidence } from './sections.ts';

/** Share of the pages read from which what they all link to is a menu, and characters of a page that says hardly anything. */
const commonShare = 0.5;
const minRead = 4;
const minText = 100;
/** Types of Open Graph that many tools give to every page. */
const anyPage = new Set(['article', 'website', 'object']);

/**
 * Returns what the pages of a site that were read say of its sections: which pages are functions, such as a comparison or a form
 * for members, and what pages call themselves. A page is taken for a function if all pages of its kind that were read say hardly
 * anything and lead nowhere that others don't, or are elsewhere.
 */
export function evidenceOf({ found, pages }: KnownSite): Evidence {
  const read = [...pages];
  const counts = new Map<string, number>();
  for (const [, { links }] of read) for (const { url } of links) counts.set(url, (counts.get(url) ?? 0) + 1);
  const isMenu = ({ url }: { url: string }) => (counts.get(url) ?? 0) > read.length * commonShare;
  const shapeOfUrl = (url: string) => shapeOf(new URL(url));
  const withContent = read.filter(
    ([asked, { url, links, length }]) =>
      shapeOfUrl(asked) === shapeOfUrl(url) &&
      (length >= minText || !links.every((link) => link.url === url || isMenu(link))),
  );
  const contentShapes = new Set(withContent.map(([asked]) => shapeOfUrl(asked)));
  const shapes = new Set(read.length < minRead ? [] : read.map(([asked]) => shapeOfUrl(asked)));
  const urls = [...found.values()].map(({ url }) => url);
  const isFunction = (shape: string) => shapes.has(shape) && !contentShapes.has(shape);
  const typed = [...new Map(read.map(([, page]) => [page.url, page])).values()].flatMap(({ url, type = '' }) => {
    const [kind = ''] = type.toLowerCase().replace(/^og:/, '').split('.');
    return kind === '' || anyPage.has(kind) ? [] : [{ kind: comparable(kind), path: new URL(url).pathname }];
  });
  const kinds = Map.groupBy(typed, ({ kind }) => kind);
  return {
    functions: new Set(urls.filter((url) => isFunction(shapeOfUrl(url)))),
    kinds: new Map([...kinds].map(([kind, some]) => [kind, some.map(({ path }) => path)])),
  };
}

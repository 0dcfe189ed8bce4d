/** Names of parameters that say which part of a list is shown, and how long a part is. Not `p`, which may be a post. */
const part =
  /^(?:.*[^a-z])?(?:current[-_]?)?(?:pg|pn|pages?|paged|pagen|pagina|seite|offset|start|skip)[-_[]?(?:no|nr|num|number|index|\d+)?\]?$/i;
const cursor = /^(?:cursor|after|(?:next[-_]?)?page[-_]?token)$/i;
const size = /^(?:limit|size|count|rows|per[-_]?page|page[-_]?size)$/i;
const partOfPath = /\/(?:comment-)?page[-/][1-9]\d{0,5}\/?$/;

/** Whether a parameter names the first part of a list, which is what its URL shows without that. */
export const isFirstPart = (name: string, value: string): boolean => part.test(name) && /^0*1?$/.test(value);

/** Whether a query is that of a part of a list, such as `?page=2`, and says nothing else. */
export function isPartQuery(search: string): boolean {
  const pairs = [...new URLSearchParams(search)];
  const isPart = ([name, value]: [string, string]) =>
    (part.test(name) && /^\d{1,9}$/.test(value)) || (cursor.test(name) && value !== '');
  return pairs.some(isPart) && pairs.every((pair) => isPart(pair) || size.test(pair[0]));
}

/** Whether a URL is that of a further part of a page, such as `?page=1`, which sites can count from 0, or `/comment-page-2/`. */
export function isFurtherPart(url: string): boolean {
  const { pathname = '', searchParams } = URL.parse(url) ?? {};
  const isPart = ([name, value]: [string, string]) => part.test(name) && /^0*[1-9]\d{0,8}$/.test(value);
  return partOfPath.test(pathname) || [...(searchParams ?? [])].some(isPart);
}

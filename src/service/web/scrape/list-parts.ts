/** Names of parameters that say which part of a list is shown. Not `p`, which may be a post. */
export const partName =
  /^(?:.*[^a-z])?(?:current[-_]?)?(?:pg|pn|pages?|paged|pagen|pagina|seite|offset|start|skip)[-_[]?(?:no|nr|num|number|index|\d+)?\]?$/i;
const partOfPath = /\/(?:comment-)?page[-/][1-9]\d{0,5}\/?$/;

/** Whether a URL is that of a further part of a page, such as `?page=1`, which sites can count from 0, or `/comment-page-2/`. */
export function isFurtherPart(url: string): boolean {
  const { pathname = '', searchParams } = URL.parse(url) ?? {};
  const isPart = ([name, value]: [string, string]) => partName.test(name) && /^0*[1-9]\d{0,8}$/.test(value);
  return partOfPath.test(pathname) || [...(searchParams ?? [])].some(isPart);
}

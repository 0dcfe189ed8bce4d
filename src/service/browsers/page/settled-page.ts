/**
 * What is known of a page before it is scrolled, in the service's own world. As some are scrolled, they append other pages, such as
 * the next article, and take over their addresses and titles.
 */
const settledPage = `globalThis[Symbol.for('settledPage')]`;

// document.head and document.title are elements of that name, if the page has one.
const title = `(document.querySelector('title')?.textContent ?? '').trim()`;

/** An expression that notes a page as it is, unless that is done or the page has no title yet. */
export const noteSettledPage = `if (${title}) ${settledPage} ??= {
  url: location.href, title: ${title}, head: document.querySelector('head')?.outerHTML,
  headings: [...document.querySelectorAll('h1')].map((element) => element.textContent.trim()),
}`;

/**
 * An expression for the page that was noted, if its address is another one by now. Where only the fragment has changed, or it has
 * got a title that names its own heading, the page is itself.
 */
export const keptPage = `(() => {
  const settled = ${settledPage};
  if (!settled || settled.url.split('#')[0] === location.href.split('#')[0]) return undefined;
  const now = ${title};
  return settled.headings.some((each) => now.includes(each) && !settled.title.includes(each)) ? undefined : settled;
})()`;

/**
 * An expression for the URL of the other page that a page says it is by now: by its path, and by a title that doesn't have all words
 * of its own, as the title of the next part of a list has.
 */
export const otherPage = `(() => {
  const kept = ${keptPage};
  if (!kept || new URL(kept.url).pathname === location.pathname) return undefined;
  const [own, now] = [kept.title, ${title}].map((text) => text.toLowerCase().match(/[\\p{L}\\p{N}]+/gu) ?? []);
  return own.every((word) => /^\\p{N}+$/u.test(word) || now.includes(word)) ? undefined : location.href;
})()`;

/**
 * What is known of a page before it is scrolled, in the service's own world. As some are scrolled, they append other pages, such as
 * the next article, and take over their addresses and titles.
 */
export const settledPage = `globalThis[Symbol.for('settledPage')]`;

// document.head, document.title and document.body are elements of that name, if the page has one.
const title = `(document.querySelector('title')?.textContent ?? '')`;
const text = `(document.querySelector('body')?.textContent ?? '')`;

/** An expression that notes a page as it is, unless that is done. */
export const noteSettledPage = `${settledPage} ??= {
  url: location.href, title: ${title}, head: document.querySelector('head')?.outerHTML, length: ${text}.length, others: new Set(),
}`;

/** A page that another one has become as it was scrolled. */
export interface OtherPage {
  url: string;
  /** Whether its elements are known, so that they are left out. */
  isApart: boolean;
}

/** Characters that another page has at least, unlike a link to it. */
const minPage = 200;

/**
 * An expression for the other page that a page says it is by now: by its path, and by a title that doesn't have all words of its
 * own, as the title of the next part of a list has. If the page has grown and both have a heading that the title names, the other page
 * is the box around its heading, and those after it that are alike.
 */
export const otherPage = `(() => {
  const settled = ${settledPage};
  if (!settled || new URL(settled.url).pathname === location.pathname) return undefined;
  const wordsOf = (text) => text.toLowerCase().match(/[\\p{L}\\p{N}]+/gu) ?? [];
  const lineOf = (text) => ' ' + wordsOf(text).join(' ') + ' ';
  const [own, now] = [settled.title, ${title}].map(lineOf);
  if (wordsOf(own).every((word) => /^\\p{N}+$/u.test(word) || now.includes(' ' + word + ' '))) return undefined;
  const headings = [...document.querySelectorAll('h1, h2, h3')].map((element) => ({ element, line: lineOf(element.textContent) }));
  const namedBy = (one, other) => headings.filter(({ line }) => line.length > 2 && one.includes(line) && !other.includes(line));
  const first = namedBy(own, now)[0]?.element;
  const after = namedBy(now, own).filter(({ element }) => first && first.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING);
  const boxes = after.map(({ element }) => {
    while (element.parentElement && !element.parentElement.contains(first)) element = element.parentElement;
    return element;
  });
  const box = boxes.sort((one, other) => other.textContent.length - one.textContent.length)[0];
  const isApart = ${text}.length - settled.length >= ${minPage} && box?.textContent.length >= ${minPage};
  for (let each = isApart ? box : null; each; each = each.nextElementSibling)
    if (each.localName === box.localName && each.getAttribute('class') === box.getAttribute('class')) settled.others.add(each);
  return { url: location.href, isApart };
})()`;

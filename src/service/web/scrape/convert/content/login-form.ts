import { isHidden } from './boilerplate.ts';
import type { PageElement } from './page-tree.ts';

/** Characters of text beside which a password field is still what a page is about. */
const maxText = 600;
/** What has a login on every page of a site. */
const aside = new Set(['header', 'nav', 'footer', 'aside', 'dialog', 'template', 'noscript']);
/** Why forms, which may be the content, aren't part of the text. */
const ofForms = new Set(['', 'form', 'control']);

/**
 * Whether a page is mainly a login: it asks for a password in its content, and says little else.
 * @param text characters of its content
 */
export function isLoginForm(root: PageElement, text: number): boolean {
  return text <= maxText && asksForPassword(root);
}

function asksForPassword({ children }: PageElement): boolean {
  return children.some((child) => {
    if (typeof child === 'string') return false;
    const { name, attributes, leftOut } = child;
    if (aside.has(name) || !ofForms.has(leftOut) || isHidden(name, attributes)) return false;
    return name === 'input' ? /^password$/i.test(attributes.type ?? '') : asksForPassword(child);
  });
}

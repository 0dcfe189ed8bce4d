import { keptPage } from './settled-page.ts';

/** The HTML of a page as it is shown, and what of it can't be read. */
export interface PageHtml {
  url: string;
  html: string;
  /** The document's encoding, in lower case: the queries of its links have it. */
  encoding: string;
  /** URLs of visible frames that can't be read, as those of other sites. */
  foreignFrames: string[];
}

/** Maximum number of characters of a page's HTML. */
export const maxHtmlLength = 10 * 1024 * 1024;

/** What the element in place of a frame has the frame's address in. */
export const frameAttribute = 'data-frame';

/**
 * Returns an expression for the HTML of the current document, or for its length if it is longer than `longest`. Shadow trees
 * and the documents of frames are in place of their elements, as the page shows them. A page that took over the address of another
 * one as it was scrolled has its own address and head.
 */
export function pageHtml(longest: number): string {
  return `(${read})(${longest})`;
}

/** Runs in the page. */
const read = `(longest) => {
  const inert = document.implementation.createHTMLDocument();
  const mostFrames = 100, longestUrl = 4096;
  const foreignFrames = [];
  /** Elements with other content than their children, and the elements around them. */
  const special = new Set();
  const documentOf = (element) => {
    try { return element.contentDocument?.documentElement; } catch { return undefined; }
  };
  const isFrame = ({ localName: name }) => name === 'iframe' || name === 'frame' || name === 'object' || name === 'embed';

  function find(root) {
    let found = false;
    for (const element of root.querySelectorAll('*')) {
      const frame = isFrame(element);
      if (!element.shadowRoot && !frame) continue;
      if (element.shadowRoot) find(element.shadowRoot);
      else {
        const inner = documentOf(element);
        if (!inner) { noteForeign(element); continue; }
        find(inner);
      }
      found = true;
      for (let around = element; around && !special.has(around); around = around.parentElement) special.add(around);
    }
    return found;
  }

  function noteForeign(element) {
    const url = element.src || element.data || '';
    if (foreignFrames.length >= mostFrames || url.length > longestUrl || !URL.canParse(url)) return;
    const { width, height } = element.getBoundingClientRect();
    if (/^https?:/.test(url) && width >= 200 && height >= 100 && element.checkVisibility({ visibilityProperty: true }))
      foreignFrames.push(url);
  }

  function tagsOf(element) {
    const tags = inert.importNode(element, false).outerHTML;
    const end = tags.lastIndexOf('</');
    return end === -1 ? [tags, ''] : [tags.slice(0, end), tags.slice(end)];
  }

  const contentOf = (nodes) => Array.from(nodes, htmlOf).join('');

  function htmlOf(node) {
    if (node.nodeType === Node.TEXT_NODE) {
      const raw = /^(script|style|noscript|xmp|plaintext)$/.test(node.parentElement?.localName ?? '');
      return raw ? node.data : node.data.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    }
    if (node.nodeType !== Node.ELEMENT_NODE) return '';
    if (node.localName === 'slot') {
      const assigned = node.assignedNodes({ flatten: true });
      return assigned.length > 0 ? contentOf(assigned) : contentOf(node.childNodes);
    }
    if (!special.has(node)) return hasSlots(node) ? wrapped(node, node.childNodes) : node.outerHTML;
    if (node.shadowRoot) return wrapped(node, node.shadowRoot.childNodes);
    const inner = isFrame(node) && documentOf(node);
    if (!inner) return node.localName === 'frameset' ? '<div>' + contentOf(node.childNodes) + '</div>' : wrapped(node, node.childNodes);
    for (const link of inner.querySelectorAll('a[href]')) link.setAttribute('href', link.href);
    const body = inner.querySelector('body, frameset');
    const box = inert.createElement('div');
    const { src, data = src, type } = node;
    if (/^https?:/.test(data)) box.setAttribute('${frameAttribute}', data);
    if (type) box.setAttribute('type', type);
    return box.outerHTML.slice(0, -'</div>'.length) + (body ? htmlOf(body).replace(/^<body\\b[^>]*>|<\\/body>$/g, '') : '') + '</div>';
  }

  const hasSlots = (element) => element.getRootNode() instanceof ShadowRoot && element.querySelector('slot') !== null;
  const wrapped = (element, nodes) => {
    const [open, close] = tagsOf(element);
    return open + contentOf(nodes) + close;
  };

  const root = document.documentElement;
  const kept = ${keptPage};
  let html = !root ? '' : find(root) ? htmlOf(root) : root.outerHTML;
  if (kept) html = html.replace(root?.querySelector('head')?.outerHTML ?? '', () => kept.head ?? '');
  const [url, encoding] = [kept?.url ?? location.href, document.characterSet.toLowerCase()];
  return html.length > longest ? html.length : { url, html: '<!doctype html>' + html, encoding, foreignFrames };
}`;

import type { ContentUrls } from '../page-tree/content-urls.ts';
import type { Attributes, PageElement } from '../page-tree/page-tree.ts';
import { noticeMarks, ownLink } from '../wording.ts';

const voids = new Set(['area', 'br', 'col', 'hr', 'img', 'input', 'source', 'track', 'wbr']);
const urlAttributes = new Set(['href', 'src', 'action', 'poster', 'cite', 'data', 'formaction']);
const attributeName = /^[a-z_:][\w:.-]*$/i;
/** What a page may tell a visitor of the visit. A status can be what the page is for. */
const noticeRole = 'alert';
/** What tells an image from others. */
const imageAttributes = new Set(['title']);

/**
 * Writes a page's content as HTML with absolute URLs, without what is left out.
 * @param plain without attributes, except those of images, and with marks of notices and of links to the page itself and above: enough to compare what pages say
 */
export function writeHtml(content: readonly PageElement[], urls: ContentUrls, plain = false): string {
  let out = '';
  let inNotice = false;
  for (const each of content) write(each);
  return out;

  function write(element: PageElement): void {
    const { name, attributes, children, leftOut } = element;
    if (leftOut !== '') return;
    if (name === 'img' || name === 'source') return writeImage(name, attributes);
    const isShown = name !== '' && name !== 'html' && name !== 'body' && name !== 'noscript';
    if (name === 'a') urls.link(attributes);
    const isNotice = plain && !inNotice && attributes.role === noticeRole;
    if (isNotice) {
      inNotice = true;
      out += noticeMarks.start;
    }
    if (isShown) {
      const isOwn = plain && name === 'a' && attributes.href !== undefined && urls.isOwn(attributes.href);
      out += isOwn ? ownLink : plain ? `<${name}>` : `<${name}${allAttributes(attributes)}>`;
    }
    for (const child of children) {
      if (typeof child === 'string') out += child;
      else write(child);
    }
    if (isShown && !voids.has(name)) out += `</${name}>`;
    if (isNotice) {
      inNotice = false;
      out += noticeMarks.end;
    }
  }

  function writeImage(name: string, attributes: Attributes): void {
    const shown = urls.image(name, attributes);
    if (name === 'source') return;
    const alt = quoted(attributes.alt ?? '');
    // Without the image, its alternative text is still content.
    if (shown === undefined) {
      out += alt.replaceAll('<', '&lt;');
      return;
    }
    const { alt: _alt, src: _src, srcset: _set, sizes: _sizes, loading: _loading, ...others } = attributes;
    const rest = plain
      ? Object.fromEntries(Object.entries(others).filter(([name]) => imageAttributes.has(name)))
      : others;
    out += `<img src="${escaped(shown)}" alt="${alt}"${allAttributes(rest)}>`;
  }

  function allAttributes(attributes: Attributes): string {
    let text = '';
    for (const name in attributes) {
      if (name.startsWith('on') || name === 'srcdoc' || !attributeName.test(name)) continue;
      const value = attributes[name] ?? '';
      const shown = urlAttributes.has(name) ? urls.shown(value) : undefined;
      if (!urlAttributes.has(name)) text += ` ${name}="${quoted(value)}"`;
      else if (shown !== undefined) text += ` ${name}="${escaped(shown)}"`;
    }
    return text;
  }
}

/** Escapes plain text for a quoted attribute. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}

/** Escapes an attribute's source text for a quoted attribute, keeping its character references. */
function quoted(written: string): string {
  return written.includes('"') ? written.replaceAll('"', '&quot;') : written;
}

import { ownNames } from '../../../../platform/own-names.ts';
import { codeLanguage } from './code-language.ts';
import { imageUrlOf } from './image-urls.ts';
import type { PageUrls } from './urls.ts';

type Attributes = Readonly<Record<string, string>>;

/** `markdown`: only what Markdown can express. `html`: the content with its attributes. */
export type Shape = 'markdown' | 'html';

/** Writes a page's content as HTML with absolute URLs. */
export interface ContentWriter {
  open(name: string, attributes: Attributes, depth: number): void;
  close(name: string, depth: number): void;
  /** Writes text as it is in the page, with its character references. */
  text(text: string): void;
  /** Length of the HTML written so far. */
  readonly length: number;
  readonly html: string;
  /** Absolute http(s) URLs in the written HTML, in order, with duplicates; those of links with their fragments. */
  readonly links: string[];
  readonly images: string[];
}

export interface ContentWriterOptions {
  shape: Shape;
  urls: PageUrls;
  removeBase64Images: boolean;
}

/** Maximum number of links, and of images, collected from one page. */
export const maxLinks = 100_000;

const voids = new Set(['area', 'br', 'col', 'hr', 'img', 'input', 'source', 'track', 'wbr']);
const markdownAttributes = ['title', 'colspan', 'rowspan', 'align', 'start', 'cite'] as const;
const urlAttributes = new Set(['href', 'src', 'action', 'poster', 'cite', 'data', 'formaction']);
const attributeName = /^[a-z_:][\w:.-]*$/i;
const headings = /^h[1-6]$/;
/** The closest equivalents of elements that Markdown doesn't have; an empty name keeps only the content. */
const markdownNames: Record<string, string> = ownNames({
  dt: 'p><strong',
  summary: 'p><strong',
  legend: 'p><strong',
  dd: 'p',
  ...Object.fromEntries(
    'main article section header footer aside nav address form fieldset dl details center hgroup figure search body'
      .split(' ')
      .map((name) => [name, 'div']),
  ),
  font: '',
  picture: '',
  button: '',
  wbr: '',
  html: '',
});

/** The same for parts of tables that are outside a table, such as cells that were selected without it. */
const looseNames: Record<string, string> = ownNames({
  ...{ td: 'div', th: 'div', tr: 'div', caption: 'div' },
  ...{ thead: '', tbody: '', tfoot: '', colgroup: '', col: '' },
});

export function createContentWriter({ shape, urls, removeBase64Images }: ContentWriterOptions): ContentWriter {
  const links: string[] = [];
  const images: string[] = [];
  let out = '';
  /** Opening tag of a link, written only once the link has content. */
  let pendingLink = '';
  /** Depths of the boxes between a pending link and its content. */
  const boxes: number[] = [];
  /** Line breaks in code, written only if code follows: trailing ones belong to the markup. */
  let heldBreaks = '';
  let linkAt = 0;
  /** How many tables are open. */
  let tables = 0;
  /** How many items of lists are open. */
  let items = 0;
  let preAt = 0;
  let preLanguage = '';
  let codeHint = { depth: 0, language: '' };

  function write(piece: string): void {
    if (heldBreaks !== '') {
      out += heldBreaks;
      heldBreaks = '';
    }
    if (pendingLink !== '') {
      out += pendingLink;
      pendingLink = '';
    }
    out += piece;
  }

  function openLink(attributes: Attributes, depth: number): void {
    linkAt ||= depth;
    if (attributes.href !== undefined && links.length < maxLinks) {
      const link = urls.target(attributes.href);
      if (link !== undefined) links.push(link);
    }
    if (shape === 'html') return write(`<a${allAttributes(attributes)}>`);
    const shown = attributes.href === undefined ? undefined : urls.shown(attributes.href);
    write('');
    pendingLink = shown === undefined ? '<a>' : `<a href="${escaped(shown)}"${attribute('title', attributes.title)}>`;
  }

  function openImage(name: string, attributes: Attributes): void {
    // Only a picture's source has a set of images; a film's has a `src`.
    const written = name === 'source' ? imageUrlOf({ ...attributes, src: '' }) : attributes.src;
    const link = written === undefined ? undefined : urls.link(written);
    if (link !== undefined && images.length < maxLinks) images.push(link);
    if (name === 'source') return;
    const alt = attributes.alt === undefined ? '' : quoted(attributes.alt);
    const shown = written === undefined || (removeBase64Images && isData(written)) ? undefined : urls.shown(written);
    // Without the image, its alternative text is still content.
    if (shown === undefined) return alt === '' ? undefined : write(alt.replaceAll('<', '&lt;'));
    const { alt: _alt, src: _src, srcset: _set, sizes: _sizes, loading: _loading, ...others } = attributes;
    const rest = shape === 'html' ? allAttributes(others) : attribute('title', attributes.title);
    write(`<img src="${escaped(shown)}" alt="${alt}"${rest}>`);
  }

  function allAttributes(attributes: Attributes): string {
    let text = '';
    for (const name in attributes) {
      if (name.startsWith('on') || name === 'srcdoc' || !attributeName.test(name)) continue;
      const value = attributes[name] ?? '';
      if (!urlAttributes.has(name)) text += attribute(name, value);
      else {
        const shown = urls.shown(value);
        if (shown !== undefined) text += ` ${name}="${escaped(shown)}"`;
      }
    }
    return text;
  }

  function fewAttributes(name: string, attributes: Attributes, depth: number): string {
    if (name === 'pre' || name === 'code') return languageOf(name, attributes, depth);
    if (name === 'div' || name === 'figure') {
      const language = codeHint.depth === 0 && attributes.class !== undefined ? codeLanguage(attributes) : undefined;
      if (language) codeHint = { depth, language };
      return '';
    }
    let text = '';
    for (const each of markdownAttributes) text += attribute(each, attributes[each]);
    return text;
  }

  /** The language is on the `code`, its `pre`, or a box around both. */
  function languageOf(name: string, attributes: Attributes, depth: number): string {
    const own = codeLanguage(attributes);
    if (name === 'pre' && preAt === 0) {
      preAt = depth;
      preLanguage = own ?? codeHint.language;
    }
    const language = preAt === 0 ? undefined : (own ?? preLanguage);
    return language ? ` class="language-${quoted(language)}"` : '';
  }

  function markdownName(name: string, depth: number): string {
    if (headings.test(name) && (tables > 0 || (linkAt > 0 && linkAt < depth))) return 'strong';
    return (tables === 0 ? looseNames[name] : undefined) ?? markdownNames[name] ?? name;
  }

  /** In an item of a list, the converter writes a heading on the line of what is beside it. */
  function gapAt(name: string): string {
    return items > 0 && headings.test(name) ? '<p></p>' : '';
  }

  return {
    links,
    images,
    get length() {
      return out.length;
    },
    get html() {
      return out;
    },
    open(name, attributes, depth) {
      if (name === 'a') return openLink(attributes, depth);
      if (name === 'img' || name === 'source') return openImage(name, attributes);
      if (shape === 'html') return write(`<${name}${allAttributes(attributes)}>`);
      const rewritten = markdownName(name, depth);
      if (rewritten === '') return;
      // A link that contains only boxes is still empty.
      if (pendingLink !== '' && (name === 'span' || name === 'div')) {
        boxes.push(depth);
        return;
      }
      write(`${gapAt(rewritten)}<${rewritten}${fewAttributes(name, attributes, depth)}>`);
      if (name === 'table') tables++;
      else if (name === 'li') items++;
    },
    close(name, depth) {
      if (depth === codeHint.depth) codeHint = { depth: 0, language: '' };
      if (depth === linkAt) linkAt = 0;
      if (name === 'table' && tables > 0) tables--;
      else if (name === 'li' && items > 0) items--;
      if (depth === preAt) {
        preAt = 0;
        heldBreaks = '';
      }
      if (boxes.at(-1) === depth) {
        boxes.pop();
        return;
      }
      if (voids.has(name)) return;
      if (pendingLink !== '') {
        if (name === 'a') pendingLink = '';
        return;
      }
      if (shape === 'html') {
        out += `</${name}>`;
        return;
      }
      const rewritten = markdownName(name, depth);
      if (rewritten !== '') out += rewritten === 'p><strong' ? '</strong></p>' : `</${rewritten}>${gapAt(rewritten)}`;
    },
    text(text) {
      if (preAt > 0 && shape === 'markdown' && text.endsWith('\n')) {
        const kept = text.replace(/[\r\n]+$/, '');
        if (kept !== '') write(kept);
        heldBreaks += text.slice(kept.length);
      } else if (pendingLink === '' || /\S/.test(text)) write(text);
    },
  };
}

function isData(url: string): boolean {
  return /^\s*data:/i.test(url);
}

function attribute(name: string, value: string | undefined): string {
  return value === undefined ? '' : ` ${name}="${quoted(value)}"`;
}

/** Escapes plain text for a quoted attribute. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}

/** Escapes an attribute's source text for a quoted attribute, keeping its character references. */
function quoted(written: string): string {
  return written.includes('"') ? written.replaceAll('"', '&quot;') : written;
}

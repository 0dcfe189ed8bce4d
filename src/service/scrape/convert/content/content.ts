import { Parser } from 'htmlparser2';
import type { Matcher } from '../selectors/selectors.ts';
import { isBoilerplate, isControl, isDecoration, isHidden, type Strictness, type Surroundings } from './boilerplate.ts';
import { createContentWriter, type Shape } from './content-writer.ts';
import type { PageMetadata } from './page-metadata.ts';
import { takeNotes } from './page-notes.ts';
import { trackRegions } from './regions.ts';
import { createPageUrls } from './urls.ts';

type Attributes = Readonly<Record<string, string>>;

/** Options of reading a page. */
export interface ReadOptions {
  /** Base URL for relative URLs. */
  url: string;
  /** How strictly boilerplate is left out. */
  strictness: Strictness;
  include?: Matcher | undefined;
  exclude?: Matcher | undefined;
  removeBase64Images: boolean;
  shape: Shape;
}

/** The result of reading a page. */
export interface PageReading {
  /** The kept content. */
  html: string;
  /** Characters of text in the kept content, and in the whole page. */
  keptText: number;
  allText: number;
  elements: number;
  /** Whether the page has consecutive links without text in between, as in menus. */
  menus: boolean;
  /** Whether the page's structure identifies its content. */
  structured: boolean;
  metadata: PageMetadata;
  /** Absolute http(s) links of the whole page, and of the kept content. */
  links: string[];
  keptLinks: string[];
  keptImages: string[];
  refresh: string | undefined;
  /** Whether the page is an empty shell that scripts fill. */
  shell: boolean;
  /** Whether reading stopped because the page is nested too deeply. */
  cut: boolean;
}

/** Browsers nest no deeper than 512 elements. */
const maxDepth = 2000;
/** Elements that are never content, including what they contain. `noscript` is for browsers without scripts. */
const neverShown = new Set(
  'head title meta link base param script style template noscript noembed noframes iframe frame object embed applet canvas svg audio'.split(
    ' ',
  ),
);
/** This many consecutive links are a menu, if separated by at most `maxSeparatorLength` characters. */
const menuLinks = 4;
const maxSeparatorLength = 3;
/** A page with less text than this may be waiting for its scripts. */
const maxShellText = 200;

/** Reads a page in one pass without building a tree, in time linear in its length. */
export function readPage(source: string, options: ReadOptions): PageReading {
  const { strictness, include, exclude } = options;
  const urls = createPageUrls(options.url);
  const notes = takeNotes(urls);
  const writer = createContentWriter({ ...options, urls });
  const regions = trackRegions(writer);
  const where: Surroundings = { inMain: false, inQuote: false };

  let depth = 0;
  let elements = 0;
  /** Depth and name of the element being left out; 0: none. */
  let leftOutAt = 0;
  let leftOut = '';
  /** Depth of the element being kept because of `include`; 0: none. */
  let includedAt = 0;
  let quoteAt = 0;
  let keptText = 0;
  let allText = 0;
  let linkAt = 0;
  let linksInRow = 0;
  let menus = false;
  let structured = false;
  let cut = false;

  function onOpen(name: string, attributes: Attributes): void {
    depth++;
    elements++;
    if (depth > maxDepth) {
      cut = true;
      return parser.pause();
    }
    notes.open(name, attributes, depth, leftOutAt > 0 ? leftOut : '');
    if (leftOutAt > 0) return;
    const included = include !== undefined && includedAt === 0 && include(name, attributes);
    if (included) includedAt = depth;
    if (isLeftOut(name, attributes, included)) {
      leftOutAt = depth;
      leftOut = name;
      return;
    }
    if (name === 'blockquote') quoteAt ||= depth;
    else if (name === 'a') linkAt ||= depth;
    where.inQuote = quoteAt > 0;
    if (include !== undefined && includedAt === 0) return;
    if (name === 'main' || name === 'article' || attributes.role === 'main') {
      structured = true;
      regions.open(name !== 'article', depth, keptText);
      where.inMain = true;
    }
    if (name !== 'html' && name !== 'body') writer.open(name, attributes, depth);
  }

  function isLeftOut(name: string, attributes: Attributes, included: boolean): boolean {
    if (neverShown.has(name) || exclude?.(name, attributes)) return true;
    if (strictness === 'nothing' || included) return false;
    if (isBoilerplate(name, attributes, where, strictness)) {
      structured = true;
      return true;
    }
    return isControl(name) || isHidden(name, attributes) || isDecoration(name, attributes);
  }

  function onClose(name: string): void {
    notes.close(depth);
    if (depth === leftOutAt) leftOutAt = 0;
    else if (leftOutAt === 0) {
      if ((include === undefined || includedAt > 0) && name !== 'html' && name !== 'body') writer.close(name, depth);
      regions.close(depth, keptText);
      where.inMain = regions.inside;
      if (depth === quoteAt) quoteAt = 0;
      if (depth === linkAt) {
        linkAt = 0;
        menus ||= ++linksInRow >= menuLinks;
      }
      if (depth === includedAt) includedAt = 0;
    }
    depth--;
  }

  function onText(text: string): void {
    notes.text(text);
    if (leftOutAt > 0) {
      if (!neverShown.has(leftOut)) allText += lengthOf(text);
      return;
    }
    const length = lengthOf(text);
    allText += length;
    if (length > maxSeparatorLength && linkAt === 0) linksInRow = 0;
    if (include !== undefined && includedAt === 0) return;
    keptText += length;
    writer.text(text);
  }

  const parser = new Parser({ onopentag: onOpen, onclosetag: onClose, ontext: onText }, { decodeEntities: false });
  parser.write(source);
  if (!cut) parser.end();

  const filtered = strictness !== 'nothing' && include === undefined && !cut;
  const main = filtered ? regions.main(keptText) : undefined;
  return {
    html: main ? writer.html.slice(main.start, main.end) : writer.html,
    keptText: main ? main.text : keptText,
    allText,
    elements,
    menus,
    structured,
    metadata: notes.metadata,
    links: [...notes.links],
    keptLinks: unique(main ? writer.links.slice(...main.links) : writer.links),
    keptImages: unique(main ? writer.images.slice(...main.images) : writer.images),
    refresh: notes.refresh,
    shell: isShell(),
    cut,
  };

  function isShell(): boolean {
    if (notes.scripts === 0 || allText >= maxShellText) return false;
    return notes.mountPoint || notes.asksForScripts || allText < 25;
  }
}

/** Whitespace between elements doesn't count as text. */
function lengthOf(text: string): number {
  return /\S/.test(text) ? text.length : 0;
}

function unique(list: readonly string[]): string[] {
  return [...new Set(list)];
}

import { maxLinks } from './content-writer.ts';
import { collectMetadata, type PageMetadata } from './page-metadata.ts';
import type { PageUrls } from './urls.ts';

type Attributes = Readonly<Record<string, string>>;

/** What a page contains besides its content: links, metadata and signs of scripts. */
export interface PageNotes {
  /** Absolute http(s) links of the whole page, without duplicates. */
  readonly links: Set<string>;
  readonly metadata: PageMetadata;
  /** Target of a meta refresh within a few seconds. */
  readonly refresh: string | undefined;
  /** Signs of a page that scripts fill. */
  readonly scripts: number;
  readonly mountPoint: boolean;
  readonly asksForScripts: boolean;
  /** `container` is the name of the left-out element that contains this one, if any. */
  open(name: string, attributes: Attributes, depth: number, container: string): void;
  close(depth: number): void;
  text(text: string): void;
}

/** Ids of the elements that common frameworks render into. */
const mountIds = new Set(
  'root app __next __nuxt ___gatsby app-root react-root main-app svelte ember-app react-app vue-app'.split(' '),
);
/** Longest delay of a meta refresh that is followed. */
const maxRefreshSeconds = 5;

export function takeNotes(urls: PageUrls): PageNotes {
  const metadata = collectMetadata();
  const links = new Set<string>();
  let titleAt = 0;
  let title = '';
  let noscriptAt = 0;
  let refresh: string | undefined;
  let scripts = 0;
  let mountPoint = false;
  let asksForScripts = false;

  function addLink(href: string | undefined): void {
    if (href === undefined || links.size >= maxLinks) return;
    const link = urls.link(href);
    if (link !== undefined) links.add(link);
  }

  function refreshTarget(content = ''): string | undefined {
    const [, seconds, written] = /^\s*(\d{1,9})(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(content) ?? [];
    return written !== undefined && Number(seconds) <= maxRefreshSeconds ? urls.link(written.trim()) : undefined;
  }

  return {
    links,
    metadata: metadata.found,
    get refresh() {
      return refresh;
    },
    get scripts() {
      return scripts;
    },
    get mountPoint() {
      return mountPoint;
    },
    get asksForScripts() {
      return asksForScripts;
    },
    open(name, attributes, depth, container) {
      switch (name) {
        case 'a':
        case 'area':
          return addLink(attributes.href);
        case 'html':
          return metadata.html(attributes);
        case 'base':
          if (attributes.href !== undefined) urls.setBase(attributes.href);
          return;
        case 'meta':
          if (attributes['http-equiv']?.toLowerCase() === 'refresh' && noscriptAt === 0) {
            refresh ??= refreshTarget(attributes.content);
          }
          return metadata.meta(attributes);
        case 'link':
          return metadata.link(attributes, urls.link);
        case 'title':
          // SVG images have their own titles.
          if (container !== 'svg') titleAt = depth;
          return;
        case 'script':
          if (attributes.src !== undefined || !/json|template/i.test(attributes.type ?? '')) scripts++;
          return;
        case 'noscript':
          noscriptAt ||= depth;
          return;
        default:
          if ((attributes.id !== undefined && mountIds.has(attributes.id)) || name === 'app-root') mountPoint = true;
      }
    },
    close(depth) {
      if (depth === noscriptAt) noscriptAt = 0;
      if (depth !== titleAt) return;
      titleAt = 0;
      metadata.title(title);
    },
    text(text) {
      if (titleAt > 0) title += text;
      else if (noscriptAt > 0 && /javascript/i.test(text)) asksForScripts = true;
    },
  };
}

import { imageUrlOf } from '../page-tree/image-urls.ts';
import type { Attributes } from '../page-tree/page-tree.ts';
import type { PageUrls } from '../page-tree/urls.ts';

/** The URLs of a page's content, collected while it is written. */
export interface ContentUrls {
  /** Absolute http(s) URLs, in order, with duplicates; those of links with their fragments. */
  readonly links: string[];
  readonly images: string[];
  /** Returns the URL of a link to show; undefined if it leads nowhere. */
  link(attributes: Attributes): string | undefined;
  /** Returns the URL of an `img`, or of a `source` of a picture, to show; undefined if it isn't shown. */
  image(name: string, attributes: Attributes): string | undefined;
  /** Returns any other URL to show; undefined for script URLs. */
  shown(written: string): string | undefined;
  /** Whether a URL is that of the page itself or of one above it, maybe without some of its parameters. */
  isOwn(written: string): boolean;
}

/** Maximum number of links, and of images, collected from one page. */
export const maxLinks = 100_000;

export function collectUrls(urls: PageUrls, removeBase64Images: boolean): ContentUrls {
  const links: string[] = [];
  const images: string[] = [];
  return {
    links,
    images,
    shown: urls.shown,
    isOwn: urls.isOwn,
    link({ href }) {
      if (href === undefined) return undefined;
      const target = links.length < maxLinks ? urls.target(href) : undefined;
      if (target !== undefined) links.push(target);
      // Of what holds a file itself, or is gone with its page, nobody can use the URL.
      return /^\s*(?:data|blob):/i.test(href) ? undefined : urls.shown(href);
    },
    image(name, attributes) {
      // Only a picture's source has a set of images; a film's has a `src`.
      const written = name === 'source' ? imageUrlOf({ ...attributes, src: '' }) : attributes.src;
      if (written === undefined) return undefined;
      const link = images.length < maxLinks ? urls.link(written) : undefined;
      if (link !== undefined) images.push(link);
      return removeBase64Images && isData(written) ? undefined : urls.shown(written);
    },
  };
}

function isData(url: string): boolean {
  return /^\s*data:/i.test(url);
}

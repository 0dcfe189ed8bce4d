import { imageUrlOf } from './image-urls.ts';
import type { Attributes } from './page-tree.ts';
import type { PageUrls } from './urls.ts';

/** The URLs of a page's content, collected while it is written. */
export type ContentUrls = ReturnType<typeof collectUrls>;

/** Maximum number of links, and of images, collected from one page. */
export const maxLinks = 100_000;

/** Collects the URLs of a page's content. Those that aren't of links or images are shown as `urls` has them. */
export function collectUrls({ link: linkOf, target: targetOf, shown, isOwn }: PageUrls, removeBase64Images: boolean) {
  const links: string[] = [];
  const images: string[] = [];
  return {
    /** Absolute http(s) URLs, in order, with duplicates; those of links with their fragments. */
    links: links as readonly string[],
    images: images as readonly string[],
    shown,
    isOwn,
    /** Returns the URL of a link to show; undefined if it leads nowhere. */
    link({ href }: Attributes): string | undefined {
      if (href === undefined) return undefined;
      const target = links.length < maxLinks ? targetOf(href) : undefined;
      if (target !== undefined) links.push(target);
      // Of what holds a file itself, or is gone with its page, nobody can use the URL.
      return /^\s*(?:data|blob):/i.test(href) ? undefined : shown(href);
    },
    /** Returns the URL of an `img`, or of a `source` of a picture, to show; undefined if it isn't shown. */
    image(name: string, attributes: Attributes): string | undefined {
      // Only a picture's source has a set of images; a film's has a `src`.
      const written = name === 'source' ? imageUrlOf({ ...attributes, src: '' }) : attributes.src;
      if (written === undefined) return undefined;
      const link = images.length < maxLinks ? linkOf(written) : undefined;
      if (link !== undefined) images.push(link);
      return removeBase64Images && isData(written) ? undefined : shown(written);
    },
  };
}

function isData(url: string): boolean {
  return /^\s*data:/i.test(url);
}

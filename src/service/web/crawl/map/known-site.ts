import { parseLink } from '../scope/urls.ts';

/** A URL of a site, with the page's title and description where known. */
export type MappedLink = {
  url: string;
  title?: string;
  description?: string;
};

/** What maps of a site have found; a map adds to it as it goes on. */
export interface KnownSite {
  /** Its pages, by their identity. */
  found: Map<string, MappedLink>;
  /** Those that a page links to, and those that a sitemap lists. */
  linked: Set<MappedLink>;
  listed: Set<MappedLink>;
  /** The feeds that its pages declare. */
  feeds: Set<string>;
  /** The pages that were read, by URL. */
  pages: Map<string, MappedPage>;
  /** URLs that gave no page of their own: disallowed by robots.txt, answered with an error, or with a login. */
  pageless: Set<string>;
}

/** A page that was read. */
export interface MappedPage {
  url: string;
  /** The pages of the site that it links to. */
  links: MappedLink[];
  /** Characters in the words of its content. */
  length: number;
  /** The types of what it is about, as it declares them. */
  subjects: readonly string[];
}

export function unknownSite(): KnownSite {
  return {
    found: new Map(),
    linked: new Set(),
    listed: new Set(),
    feeds: new Set(),
    pages: new Map(),
    pageless: new Set(),
  };
}

/** Returns where a URL led if it was read and redirected. */
export function redirectOf({ pages }: KnownSite, { href }: URL): URL | undefined {
  const landed = parseLink(pages.get(href)?.url ?? href);
  return landed && landed.href !== href ? new URL(landed.href) : undefined;
}

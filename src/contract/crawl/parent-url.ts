import { parseUrl } from '../addresses.ts';

/** Returns the folder above a page, or undefined if it is at the top of its site. */
export function parentOf(url: string | undefined): string | undefined {
  const page = url === undefined ? null : parseUrl(url);
  if (!page) return undefined;
  const parent = new URL(page.pathname.endsWith('/') ? '..' : '.', page);
  return parent.pathname === page.pathname ? undefined : parent.href;
}

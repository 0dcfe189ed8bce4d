import { createHash } from 'node:crypto';
import type { LoadedPage } from './load-page.ts';

/** Whether the query of a page has the URL that was asked for, so that it can lead back to it. */
export function leadsBack(found: string, asked: string): boolean {
  const { href, origin } = new URL(asked);
  return [...new URL(found).searchParams.values()].some(
    (value) => /^(?:https?:\/)?\//i.test(value) && URL.parse(value, origin)?.href === href,
  );
}

/** A start page in a language, as `/de/?from=/`, is what is asked for. */
const inLanguage = /^\/[a-z]{2}(?:[-_][a-z]{2})?(?:\/|$)/i;

/**
 * Whether a site leads to a page in place of any that is asked for, as it does until a question for consent is answered: a page
 * that may lead back, and to which it also leads from its start page. Where a page was moved, or isn't there, it doesn't.
 */
export async function isGate(
  found: string,
  asked: string,
  fetch: (url: string) => Promise<LoadedPage>,
): Promise<boolean> {
  const { origin, pathname } = new URL(asked);
  const gate = new URL(found);
  if ((gate.origin === origin && gate.pathname === pathname) || !leadsBack(found, asked)) return false;
  if (pathname === '/' && inLanguage.test(gate.pathname)) return false;
  // For its start page itself, a URL that can't exist stands in.
  const other = pathname !== '/' ? `${origin}/` : `${origin}/${createHash('sha1').update(asked).digest('hex')}`;
  const answer = await fetch(other).catch(() => undefined);
  if (!answer || !leadsBack(answer.url, other)) return false;
  const { origin: host, pathname: path } = new URL(answer.url);
  return host === gate.origin && path === gate.pathname;
}

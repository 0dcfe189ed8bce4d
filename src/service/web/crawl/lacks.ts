import { shorten } from '../../../contract/shorten.ts';
import { isForMembers, script } from '../scrape/login-words.ts';
import type { ScrapedPage } from '../scrape/scrape.ts';

const maxKinds = 20;

/** What pages that were read lack: the first of them, and how many they are. */
export interface Lack {
  url: string;
  text: string;
  pages: number;
}

/**
 * Collects what pages that were read lack, by its kind.
 * @param known that of pages that were read earlier
 */
export function createLacks(known: readonly Lack[] = []) {
  const kinds = new Map(known.map((lack) => [kindOf(lack), lack]));
  return {
    add(url: string, text: string): void {
      const kind = kindOf({ url, text });
      const first = kinds.get(kind);
      // A page that was read before the service stopped is read again.
      if (first?.url === url) return;
      if (first) kinds.set(kind, { ...first, pages: first.pages + 1 });
      else if (kinds.size < maxKinds) kinds.set(kind, { url, text, pages: 1 });
    },
    all: (): Lack[] => [...kinds.values()],
  };
}

/**
 * Returns what a page lacks, so that links may be missing. The warnings of the site's own login, and of forms
 * for members that show it, don't count.
 * @param asked the page's URL before redirects
 * @param isStart whether all others may be missing
 */
export function lackedBy(page: ScrapedPage, asked: string, isStart: boolean): string[] {
  const isOwnLogin = !isStart && page.isLogin && isForMembers(new URL(asked));
  return [...new Set([...((!isOwnLogin && page.warnings) || []), ...(page.hidesLinks ?? [])])];
}

/**
 * Says it in a line for each kind: links may be missing.
 * @param before what each line begins with
 */
export function lacksText(lacks: readonly Lack[], before = ''): string {
  const lines = lacks.map(({ url, text, pages }) => {
    const others = pages === 1 ? '' : ` The same is true of ${pages - 1} more of the pages read.`;
    return `${before}${shorten(url)}: ${text}${others}`;
  });
  return lines.join('\n');
}

/** Returns what warnings of a kind have in common: all but names, numbers, URLs and actions, and the script if queries name its pages. */
function kindOf({ url, text }: Pick<Lack, 'url' | 'text'>): string {
  const { pathname, search } = new URL(url);
  const [name = ''] = (search !== '' && script.exec(pathname)) || [];
  return name + text.replace(/"[^"]*"(?:, "[^"]*")*(?: and \d+ more)?|\[.*\]|https?:\/\/\S+|\d+/g, '');
}

import { shorten } from '../../../contract/shorten.ts';

const maxKinds = 20;

/** A line of what is said. */
const line = /^(\S+): (.*?)(?: The same is true of (\d+) more of the pages read\.)?$/;

/**
 * Collects what pages that were read lack, by its kind: of the first page, with the number of those alike.
 * @param before what each line begins with
 * @param said what was said of pages that were read earlier
 */
export function createLacks(before = '', said = '') {
  const kinds = new Map<string, { url: string; text: string; pages: number }>();
  for (const each of said.split('\n')) {
    const [, url, text = '', others = 0] = line.exec(each.slice(before.length)) ?? [];
    if (url !== undefined) kinds.set(kindOf(text), { url, text, pages: 1 + Number(others) });
  }
  return {
    add(url: string, text: string): void {
      const kind = kindOf(text);
      const { pages = 0, ...first } = kinds.get(kind) ?? { url, text };
      // A page that was read before the service stopped is read again.
      if (pages > 0 && (first.url === url || first.url === shorten(url))) return;
      if (pages > 0 || kinds.size < maxKinds) kinds.set(kind, { ...first, pages: pages + 1 });
    },
    /** Says it in a line for each kind: links may be missing. */
    text(): string {
      const lines = [...kinds.values()].map(({ url, text, pages }) => {
        const others = pages === 1 ? '' : ` The same is true of ${pages - 1} more of the pages read.`;
        return `${before}${shorten(url)}: ${text}${others}`;
      });
      return lines.join('\n');
    },
  };
}

/** Returns what warnings of a kind have in common: all but names, numbers, URLs and actions. */
function kindOf(warning: string): string {
  return warning.replace(/"[^"]*"|\[.*\]|https?:\/\/\S+|\d+/g, '');
}

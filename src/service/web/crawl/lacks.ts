import { shorten } from '../../../contract/shorten.ts';

const maxKinds = 20;

/** Collects what pages that were read lack, by its kind: of the first page, with the number of those alike. */
export function createLacks() {
  const kinds = new Map<string, { url: string; text: string; pages: number }>();
  return {
    add(url: string, text: string): void {
      const kind = kindOf(text);
      const { pages = 0, ...first } = kinds.get(kind) ?? { url, text };
      if (pages > 0 || kinds.size < maxKinds) kinds.set(kind, { ...first, pages: pages + 1 });
    },
    /** Says it in a line for each kind, after `before`: links may be missing. */
    text(before = ''): string {
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

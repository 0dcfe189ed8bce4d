import { htmlToMarkdown } from '@mdream/js';

/** Converts HTML to Markdown, with GFM tables and fenced code with its language. */
export interface MarkdownConverter {
  /** Converts content whose URLs are absolute and whose hidden elements have been removed. */
  convert(html: string): string;
}

/** The converter of `@mdream/js`: the fastest in plain JavaScript that preserves tables, code and nested lists. */
export const mdream: MarkdownConverter = {
  convert: (html) => collapseBlankLines(htmlToMarkdown(html)).trim(),
};

/** Collapses consecutive blank lines outside code. */
function collapseBlankLines(markdown: string): string {
  if (!/\n[ \t]*\n[ \t]*\n/.test(markdown)) return markdown;
  const kept: string[] = [];
  let fence = '';
  let gap = false;
  for (const line of markdown.split('\n')) {
    const [, mark = ''] = /^[\s>]*(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === '') fence = mark;
    else if (mark.startsWith(fence)) fence = '';
    const blank = fence === '' && line.trim() === '';
    if (!blank) kept.push(line);
    else if (!gap) kept.push('');
    gap = blank;
  }
  return kept.join('\n');
}

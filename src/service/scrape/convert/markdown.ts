import { htmlToMarkdown } from '@mdream/js';

/** Makes markdown of HTML: GFM tables, fenced code with its language. */
export interface MarkdownConverter {
  /** `html` holds absolute URLs and nothing that is not to be shown. */
  convert(html: string): string;
}

/** The converter of the `@mdream/js` package: the fastest of those in plain JavaScript that keep tables, code and nested lists whole. */
export const mdream: MarkdownConverter = {
  convert: (html) => withoutGaps(htmlToMarkdown(html)).trim(),
};

/** More than one empty line in a row says nothing, outside code. */
function withoutGaps(markdown: string): string {
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

import { fenced } from '../../ui/text/visible-text.ts';

const listMark = /^(\s*)([-*+]|\d{1,9}[.)])(\s+)(.*)$/;
const fenceMark = /^ {0,3}(`{3,})([^`]*)$/;

/**
 * Converts an answer to markdown that is safe in VS Code's chat: keeps code blocks, code spans, bold text and list markers, and
 * escapes everything else. Without links, images, headings or HTML, nothing is loaded and nothing can be clicked.
 */
export function chatMarkdown(answer: string): string {
  const stream = new ChatMarkdown();
  return stream.push(answer) + stream.end();
}

/** Converts an answer like `chatMarkdown` while it arrives: each line when it is complete, and code blocks as a whole. */
export class ChatMarkdown {
  #line = '';
  #fence: { length: number; language: string; lines: string[] } | undefined;
  #isFirst = true;

  /** Returns the markdown of the lines that the text completes. */
  push(text: string): string {
    const lines = (this.#line + text).split('\n');
    this.#line = lines.pop() ?? '';
    return lines.map((line) => this.#convert(line)).join('');
  }

  /** Returns the markdown of what is left. */
  end(): string {
    const last = this.#convert(this.#line);
    this.#line = '';
    const open = this.#fence;
    this.#fence = undefined;
    return open ? last + this.#write(block(open)) : last;
  }

  #convert(line: string): string {
    const mark = fenceMark.exec(line);
    const fence = this.#fence;
    if (fence) {
      if (mark?.[1] && mark[1].length >= fence.length && mark[2]?.trim() === '') {
        this.#fence = undefined;
        return this.#write(block(fence));
      }
      fence.lines.push(line);
      return '';
    }
    if (!mark?.[1]) return this.#write(textLine(line));
    this.#fence = { length: mark[1].length, language: mark[2] ?? '', lines: [] };
    return '';
  }

  #write(text: string): string {
    const separator = this.#isFirst ? '' : '\n';
    this.#isFirst = false;
    return separator + text;
  }
}

/** Rewrites the fence, so that every parser sees the block end at the same place. */
function block({ language, lines }: { language: string; lines: string[] }): string {
  const name = /^[\w+#-]{1,30}$/.exec(language.trim().split(/\s/)[0] ?? '')?.[0] ?? '';
  return `\n${fenced(lines.join('\n'), name)}\n`;
}

function textLine(line: string): string {
  const [, indent = '', mark, space = '', rest = ''] = listMark.exec(line) ?? [];
  if (mark === undefined) return spans(line.trim());
  return `${indent.slice(0, 6)}${mark}${space.slice(0, 2)}${spans(rest)}`;
}

/** Keeps code spans and bold text, and escapes all other punctuation. */
function spans(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part, index) => (index % 2 === 1 ? part : bold(part)))
    .join('');
}

function bold(text: string): string {
  return text
    .split(/\*\*(?=\S)([^*]*[^*\s])\*\*/)
    .map((part, index) => (index % 2 === 1 ? `**${escaped(part)}**` : escaped(part)))
    .join('');
}

function escaped(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, '\\$&');
}

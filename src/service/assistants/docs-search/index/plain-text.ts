import MarkdownIt, { type Token } from 'markdown-it';

/** Reads Markdown. Every target is a link, so that none is left as text. */
export const markdown = new MarkdownIt({ html: true });
markdown.validateLink = () => true;

/** A line for a site generator is nothing: `:::tip`, `/// note`, `{* file.py *}`, `{% include x %}`, `{{ name }}`, `@include: file`, `<<< @/file`, `--8<-- "file"`. */
const directive = /^(?::{3}|\/{3}|@include|<<< [@.]+\/|-+8<-+ ["']|\[\[toc]]$|\{(?:([*%!]).*\1|\{.*\})\}\s*$)/i;

/** A longer paragraph is not prose. */
const longestInline = 8_000;

/** Characters that hide or reorder text: Unicode tags, bidi controls, zero-width marks, control characters. */
const invisible =
  /[\p{Cc}\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Colors, links and other sequences for terminals, whole. A single byte that can begin one is often a wrongly decoded `›`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control sequences
export const terminalSequence = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))/g;

/**
 * Converts inline Markdown to text that is safe to show anywhere. Code spans and words stay; link targets, images, HTML
 * and invisible characters are removed. The result cannot be parsed as a link again.
 */
export function plainText(text: string): string {
  return inlineText(markdown.parseInline(text.slice(0, longestInline), {})[0]);
}

/** Returns the text of an inline token, as `plainText` does. */
export function inlineText(inline: Token | undefined): string {
  const parts: InlinePart[] = [];
  let isAddress = false;
  for (const { type, markup, content } of inline?.children ?? []) {
    if (type === 'link_open' || type === 'link_close') isAddress = type === 'link_open' && markup === 'autolink';
    else if (type === 'softbreak' || type === 'hardbreak' || type === 'image') parts.push({ text: ' ' });
    else if (type === 'text' && !isAddress && !directive.test(content)) parts.push({ text: content });
    else if (type === 'code_inline') parts.push({ text: content, isCode: true });
  }
  return joinInline(parts);
}

/** A part of a line of text: words, or a code span. */
export interface InlinePart {
  text: string;
  isCode?: boolean;
}

/** Joins the parts of a text, safe to show anywhere: code spans stay, invisible characters are removed, and the words can't be parsed as a link or a tag. */
export function joinInline(parts: readonly InlinePart[]): string {
  const done: string[] = [];
  let prose = '';
  for (const { text, isCode } of parts) {
    if (!isCode) prose += text;
    else {
      done.push(inert(prose), `\`${text.replace(terminalSequence, '').trim().replaceAll('`', "'")}\``);
      prose = '';
    }
  }
  return [...done, inert(prose)].join('').replace(invisible, ' ').replace(/\s+/g, ' ').trim();
}

/** Returns the text of a block of HTML. */
export function textOfHtml(html: string): string {
  const shown = html.slice(0, longestInline).replace(/<(script|style)\b.*?<\/\1\s*>/gis, ' ');
  return plainText(shown.replace(/<(?=[/a-z])/gi, ' <'));
}

/** Changes what is left of Markdown and HTML so that it can't be parsed as a link or a tag again. */
function inert(text: string): string {
  const shown = text.replace(terminalSequence, '');
  return shown.replace(/\](?=[([:])/g, '] ').replace(/<(?=[a-z/!?])/gi, '‹');
}

/** Makes a block of code safe to show: no control characters other than tabs and line breaks. */
export function plainCode(code: string): string {
  return code.replace(/\r\n?/g, '\n').replace(invisible, (character) => (/[\n\t]/.test(character) ? character : '�'));
}

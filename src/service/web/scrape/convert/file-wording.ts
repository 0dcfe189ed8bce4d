import { hash } from 'node:crypto';
import MarkdownIt from 'markdown-it';
import { readPage } from './content/content.ts';
import { type Wording, wordingOf } from './wording.ts';

/** Longer texts aren't compared with pages. */
const maxLength = 300_000;
const texts = /^text\/(?:plain|(?:x-)?markdown)\b/i;
const frontMatter = /^\ufeff?---\r?\n[\s\S]{0,10000}?\n---[ \t]*(?:\r?\n|$)/;
const markdown = new MarkdownIt({ html: true });

/** Returns what a text file says, as the page says it of which the file has the Markdown or text. */
export function fileWording(source: string, contentType = '', url = ''): Wording | undefined {
  if (!texts.test(contentType.trim()) || source.length > maxLength) return undefined;
  const html = markdown.render(source.replace(frontMatter, ''));
  const reading = readPage(html, { url, extent: 'all', removeBase64Images: true });
  // Pages often have other copies of the images.
  const written = reading.write('text').text.replace(/<img [^>]*>/g, '');
  // Files can differ in signs and tags alone.
  return { ...wordingOf(written, url), digest: hash('sha256', source), words: undefined, isFile: true };
}

import { isUtf8 } from 'node:buffer';
import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime';
import { decodeText, encodingOf, guessedEncoding } from '../../../../platform/network/charset.ts';
import { calendarHtml } from './calendar.ts';
import { UnreadableFile } from './file-errors.ts';
import type { FileReading } from './files.ts';
import { escaped, wrapped } from './html.ts';
import { notRead } from './office/properties.ts';

/** Limits of how deep parts are nested, and of the headers of a message and all of its parts, in bytes. */
const limits = { maxNestingDepth: 50, maxHeadersSize: 1024 * 1024 };

/** Parts that hold a text, or files, in a form of their own. */
const sealed: [what: string, type: RegExp][] = [
  ['encrypted or sealed parts', /^application\/(pgp-encrypted|(x-)?pkcs7-mime)$/],
  ['parts in a format of Outlook', /^application\/(vnd\.)?ms-tnef$/],
];

/** Quotes in more others than this are text. */
const maxQuotes = 20;
/** Messages that are forwarded in more others than this are named only. */
const maxForwards = 5;

/** Reads an e-mail with those that it forwards: sender, recipients, subject and text, and the names of attachments. Throws an UnreadableFile. */
export async function readMail(file: Uint8Array): Promise<FileReading> {
  const unread = new Set<string>();
  const { mail, html } = await readMessage(file, 1, unread);
  const title = mail.subject?.trim();
  return {
    html,
    metadata: { ...(title && { title }), ...(mail.from && { author: nameOf(mail.from) }) },
    warnings: notRead([...unread]),
  };
}

/**
 * @param level of its heading
 * @param unread what of it isn't read
 */
async function readMessage(
  file: Uint8Array,
  level: number,
  unread: Set<string>,
): Promise<{ mail: Email; html: string }> {
  const options = { ...limits, attachmentEncoding: 'arraybuffer', forceRfc822Attachments: true } as const;
  const mail = await PostalMime.parse(file, options).catch((error: unknown) => {
    const why = /nesting/i.test(String(error))
      ? `its parts may be nested ${limits.maxNestingDepth} levels deep`
      : `the headers of it and all of its parts may have ${limits.maxHeadersSize / 1024 / 1024} MiB together`;
    throw new UnreadableFile(
      `The e-mail is too complex: ${why}. Save the part that you need as a file, and try again with that.`,
      error,
    );
  });
  const heading = wrapped(`h${level}`, escaped(mail.subject?.trim() ?? ''));
  const isMessage = ({ mimeType }: Attachment) => mimeType === 'message/rfc822' && level < maxForwards;
  const { true: messages = [], false: files = [] } = Object.groupBy(mail.attachments, (each) => `${isMessage(each)}`);
  for (const { mimeType } of files) for (const [what, type] of sealed) if (type.test(mimeType)) unread.add(what);
  const events = files
    .filter(({ mimeType }) => mimeType === 'text/calendar')
    .map(({ content }) => calendarHtml(textOf(content)));
  let html = `${heading}${headersOf(mail)}${bodyOf(mail)}${events.join('')}${attachmentsOf(files, level)}`;
  for (const { content } of messages) html += `<hr>${(await readMessage(bytesOf(content), level + 1, unread)).html}`;
  return { mail, html };
}

function headersOf({ from, to = [], cc = [], date }: Email): string {
  const lines: [string, string][] = [
    ['From', from ? nameOf(from) : ''],
    ['To', to.map(nameOf).join(', ')],
    ['Cc', cc.map(nameOf).join(', ')],
    ['Date', date ?? ''],
  ];
  const shown = lines.filter(([, value]) => value !== '');
  return `<p>${shown.map(([name, value]) => `<strong>${name}:</strong> ${escaped(value)}`).join('<br>')}</p>`;
}

function bodyOf({ html, text = '' }: Email): string {
  // Attached images have no address outside the message.
  if (html) return html.replaceAll(/\ssrc\s*=\s*(["'])cid:[^"']{0,1000}\1/gi, '');
  return linesHtml(text.split(/\r?\n/).map(lineOf));
}

interface Line {
  /** How many quotes it is in. */
  depth: number;
  text: string;
}

function lineOf(written: string): Line {
  const [signs = ''] = /^(?:>[ \t]?)*/.exec(written) ?? [];
  return { depth: Math.min(maxQuotes, signs.replaceAll(/[^>]/g, '').length), text: written.slice(signs.length) };
}

/** Joins the lines of a part that go on in the next one: after a blank, which may not be part of the text (RFC 3676). */
function unflowed(source: string, dropsBlanks: boolean): string {
  const lines: string[] = [];
  let goesOn: string | undefined;
  for (const line of source.split(/\r?\n/)) {
    const [all = '', signs = ''] = /^(>*) ?/.exec(line) ?? [];
    const text = line.slice(all.length);
    // The line above a signature, and that itself, stand alone.
    const isSign = text === '-- ';
    const isCut = text.endsWith(' ') && !isSign;
    const shown = isCut && dropsBlanks ? text.slice(0, -1) : text;
    if (signs === goesOn && !isSign) lines.push(`${lines.pop()}${shown}`);
    // Further signs, which belong to the text, are none after two blanks.
    else lines.push(`${signs}  ${shown}`);
    goesOn = isCut ? signs : undefined;
  }
  return lines.join('\n');
}

/** Decodes base64, in which each unit may be padded, into one buffer: the parser keeps a buffer for each unit. */
function createBase64() {
  const lines: string[] = [];
  return {
    update: (line: Uint8Array) => void lines.push(Buffer.from(line).toString('latin1')),
    finalize(): ArrayBuffer {
      const text = lines.join('').replaceAll(/[^a-zA-Z0-9+/=]+/g, '');
      const bytes = Buffer.from(new ArrayBuffer(text.length));
      let length = 0;
      for (const [unit] of text.matchAll(/[^=]+/g)) length += bytes.write(unit, length, 'base64');
      return bytes.buffer.transfer(length);
    },
  };
}

interface TextPart {
  readonly content: ArrayBuffer | null;
  readonly contentType: { parsed: { value: string; params: Record<string, string> } };
}

const { root } = new PostalMime() as PostalMime & { root?: object };
const nodes = Object.getPrototypeOf(root) as {
  setupContentDecoder(this: { contentDecoder: unknown }, encoding: string): void;
  getTextContent(this: TextPart): string;
};
const { setupContentDecoder, getTextContent } = nodes;
Object.assign(nodes, {
  // The parser joins lines whatever they quote.
  decodeFlowedText: unflowed,
  getTextContent(this: TextPart) {
    const { value, params } = this.contentType.parsed;
    const bytes = new Uint8Array(this.content ?? []);
    if (saysNothing.test(params.charset ?? '')) params.charset = '';
    // A page says itself how it is written; other text may be older than UTF-8.
    if (value === 'text/html') params.charset ||= encodingOf(bytes, undefined);
    else params.charset ||= isMostlyUtf8(bytes) ? 'utf-8' : guessedEncoding(bytes);
    return getTextContent.call(this);
  },
  setupContentDecoder(this: { contentDecoder: unknown }, encoding: string) {
    if (/base64/i.test(encoding)) this.contentDecoder = createBase64();
    else setupContentDecoder.call(this, encoding);
  },
});

/** Charsets that don't tell what bytes other than those of ASCII mean. */
const saysNothing = /^(?:us-ascii|ascii|unknown-8bit|x-unknown)$/i;

/** A text may be cut within a character. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  if (isUtf8(bytes)) return true;
  const text = new TextDecoder().decode(bytes);
  const countOf = (characters: RegExp) => text.match(characters)?.length ?? 0;
  return countOf(/[^\p{ASCII}\ufffd]/gu) > countOf(/\ufffd/g);
}

/** Writes lines as paragraphs and quotes. */
function linesHtml(lines: readonly Line[], depth = 0): string {
  let html = '';
  for (let at = 0; at < lines.length; ) {
    const isQuote = (lines[at]?.depth ?? 0) > depth;
    const isPart = (line: Line | undefined) =>
      line !== undefined && line.depth > depth === isQuote && (isQuote || line.text.trim() !== '');
    const from = at;
    while (isPart(lines[at])) at++;
    const part = lines.slice(from, at);
    if (isQuote) html += wrapped('blockquote', linesHtml(part, depth + 1));
    else html += wrapped('p', part.map(({ text }) => escaped(text.trim())).join('<br>'));
    if (at === from) at++;
  }
  return html;
}

/** Lists attachments, but for what is part of the text, such as its images. */
function attachmentsOf(attachments: readonly Attachment[], level: number): string {
  const items = attachments
    .filter(({ related }) => !related)
    .map(({ filename, mimeType, content }) =>
      escaped(`${filename ?? 'unnamed'} (${mimeType}, ${bytesOf(content).byteLength} bytes)`),
    );
  if (items.length === 0) return '';
  return `<h${level + 1}>Attachments</h${level + 1}><ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;
}

function bytesOf(content: Attachment['content']): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);
}

function textOf(content: Attachment['content']): string {
  return decodeText(bytesOf(content), 'text/calendar; charset=utf-8');
}

function nameOf({ name, address, group }: Address): string {
  if (group) return `${name}: ${group.map(nameOf).join(', ')};`;
  if (!name || !address) return address ?? name;
  // What tells addresses apart is quoted within a name (RFC 5322).
  return `${/[,;:<>@"]/.test(name) ? `"${name.replaceAll(/["\\]/g, '\\$&')}"` : name} <${address}>`;
}

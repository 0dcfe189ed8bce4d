import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime';
import { UnreadableFile } from './file-errors.ts';
import type { FileReading } from './files.ts';
import { escaped, wrapped } from './html.ts';

/** Limits of how deep parts are nested, and of the headers in bytes. */
const limits = { maxNestingDepth: 50, maxHeadersSize: 1024 * 1024 };

/** Quotes in more others than this are text. */
const maxQuotes = 20;
/** Messages that are forwarded in more others than this are named only. */
const maxForwards = 5;

/** Reads an e-mail with those that it forwards: sender, recipients, subject and text, and the names of attachments. Throws an UnreadableFile. */
export async function readMail(file: Uint8Array): Promise<FileReading> {
  const { mail, html } = await readMessage(file, 1);
  const title = mail.subject?.trim();
  return {
    html,
    metadata: { ...(title && { title }), ...(mail.from && { author: nameOf(mail.from) }) },
    warnings: [],
  };
}

/** @param level of its heading */
async function readMessage(file: Uint8Array, level: number): Promise<{ mail: Email; html: string }> {
  const { flow, source } = takeFlow(file);
  const options = { ...limits, attachmentEncoding: 'arraybuffer', forceRfc822Attachments: true } as const;
  const mail = await PostalMime.parse(source, options).catch((error: unknown) => {
    throw new UnreadableFile(
      `The e-mail is too complex: its headers may have ${limits.maxHeadersSize / 1024 / 1024} MiB, and its parts may be nested ${limits.maxNestingDepth} levels deep. Save the part that you need as a file, and try again with that.`,
      error,
    );
  });
  const heading = wrapped(`h${level}`, escaped(mail.subject?.trim() ?? ''));
  const isMessage = ({ mimeType }: Attachment) => mimeType === 'message/rfc822' && level < maxForwards;
  const { true: messages = [], false: files = [] } = Object.groupBy(mail.attachments, (each) => `${isMessage(each)}`);
  let html = `${heading}${headersOf(mail)}${bodyOf(mail, flow)}${attachmentsOf(files, level)}`;
  for (const { content } of messages) html += `<hr>${(await readMessage(bytesOf(content), level + 1)).html}`;
  return { mail, html };
}

/** How the lines of a text go on in the next one (RFC 3676): after a space, which may not be part of the text. */
type Flow = 'none' | 'spaces' | 'no spaces';

const typeHeader = /^Content-Type:[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*/gim;

/** Takes from headers that lines flow: the parser joins them whatever they quote. */
function takeFlow(file: Uint8Array): { flow: Flow; source: Uint8Array } {
  let flow: Flow = 'none';
  const text = Buffer.from(file.buffer, file.byteOffset, file.byteLength).toString('latin1');
  const rest = text.replace(typeHeader, (header) => {
    if (!/;\s*format\s*=\s*"?flowed/i.test(header)) return header;
    flow = /;\s*delsp\s*=\s*"?yes/i.test(header) ? 'no spaces' : 'spaces';
    return header.replace(/flowed/i, 'fixed');
  });
  return { flow, source: flow === 'none' ? file : Buffer.from(rest, 'latin1') };
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

function bodyOf({ html, text }: Email, flow: Flow): string {
  // Attached images have no address outside the message.
  if (html) return html.replaceAll(/\ssrc\s*=\s*(["'])cid:[^"']{0,1000}\1/gi, '');
  return linesHtml(linesOf(text ?? '', flow));
}

interface Line {
  /** How many quotes it is in. */
  depth: number;
  text: string;
}

/** Returns the lines of a text without the signs of quotes (RFC 3676, 4.5). */
function linesOf(source: string, flow: Flow): Line[] {
  const lines: Line[] = [];
  let goesOn = false;
  for (const line of source.split(/\r?\n/)) {
    const [, signs = '', written = ''] = (flow === 'none' ? /^((?:>[ \t]?)*)(.*)$/ : /^(>*) ?(.*)$/).exec(line) ?? [];
    const depth = Math.min(maxQuotes, signs.replaceAll(/[^>]/g, '').length);
    const last = lines.at(-1);
    // The line above a signature, and that itself, stand alone.
    const isSign = written === '-- ';
    const isCut = flow !== 'none' && written.endsWith(' ') && !isSign;
    const text = isCut && flow !== 'spaces' ? written.slice(0, -1) : written;
    if (last && goesOn && last.depth === depth && !isSign) last.text += text;
    else lines.push({ depth, text });
    goesOn = isCut;
  }
  return lines;
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

function nameOf({ name, address, group }: Address): string {
  if (group) return `${name}: ${group.map(nameOf).join(', ')}`;
  return name && address ? `${name} <${address}>` : (address ?? name);
}

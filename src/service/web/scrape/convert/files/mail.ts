import PostalMime, { type Address, type Email } from 'postal-mime';
import { UnreadableFile } from './file-errors.ts';
import type { FileReading } from './files.ts';
import { escaped, wrapped } from './html.ts';

/** Limits of how deep parts are nested, and of the headers in bytes. */
const limits = { maxNestingDepth: 50, maxHeadersSize: 1024 * 1024 };

/** Quotes in more others than this are text. */
const maxQuotes = 20;

/** Reads an e-mail: its sender, recipients, subject and text, and the names of its attachments. Throws an UnreadableFile. */
export async function readMail(file: Uint8Array): Promise<FileReading> {
  const mail = await PostalMime.parse(file, { ...limits, attachmentEncoding: 'arraybuffer' }).catch(
    (error: unknown) => {
      throw new UnreadableFile(
        `The e-mail is too complex: its headers may have ${limits.maxHeadersSize / 1024 / 1024} MiB, and its parts may be nested ${limits.maxNestingDepth} levels deep. Save the part that you need as a file, and try again with that.`,
        error,
      );
    },
  );
  const subject = mail.subject?.trim();
  const heading = subject ? `<h1>${escaped(subject)}</h1>` : '';
  return {
    html: `${heading}${headersOf(mail)}${bodyOf(mail)}${attachmentsOf(mail)}`,
    metadata: { ...(subject && { title: subject }), ...(mail.from && { author: nameOf(mail.from) }) },
    warnings: [],
  };
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

function bodyOf({ html, text }: Email): string {
  // Attached images have no address outside the message.
  if (html) return html.replaceAll(/\ssrc\s*=\s*(["'])cid:[^"']{0,1000}\1/gi, '');
  return linesHtml((text ?? '').trim().split(/\r?\n/));
}

/** Writes lines as paragraphs, and as quotes those that begin with a sign of that (RFC 3676, 4.5). */
function linesHtml(lines: readonly string[], depth = 0): string {
  let html = '';
  let part: string[] = [];
  let isQuote = false;
  const end = () => {
    if (isQuote) html += wrapped('blockquote', linesHtml(part, depth + 1));
    else html += wrapped('p', part.map((line) => escaped(line.trim())).join('<br>'));
    part = [];
  };
  for (const line of lines) {
    const [, quoted] = depth < maxQuotes ? (/^>[ \t]?(.*)$/.exec(line) ?? []) : [];
    if (isQuote !== (quoted !== undefined) || line.trim() === '') end();
    isQuote = quoted !== undefined;
    if (line.trim() !== '') part.push(quoted ?? line);
  }
  end();
  return html;
}

function attachmentsOf({ attachments }: Email): string {
  const named = attachments.filter(({ disposition, related }) => disposition !== 'inline' && !related);
  if (named.length === 0) return '';
  const items = named.map(({ filename, mimeType, content }) => {
    const size = typeof content === 'string' ? content.length : content.byteLength;
    return `<li>${escaped(`${filename ?? 'unnamed'} (${mimeType}, ${size} bytes)`)}</li>`;
  });
  return `<h2>Attachments</h2><ul>${items.join('')}</ul>`;
}

function nameOf({ name, address, group }: Address): string {
  if (group) return `${name}: ${group.map(nameOf).join(', ')}`;
  return name && address ? `${name} <${address}>` : (address ?? name);
}

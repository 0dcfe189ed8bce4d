import type { ScrapeDocument } from '../../../contract/scrape/scrape.ts';

/** Returns the fields of documents that a CSV file can have, the usual ones first. */
export function fieldsOf(documents: readonly ScrapeDocument[]): string[] {
  const found = new Set(['url', 'title', 'statusCode', 'error']);
  for (const document of documents) {
    for (const [name, value] of Object.entries(document)) {
      if (name !== 'metadata' && value !== null && value !== undefined) found.add(name);
    }
    for (const name of Object.keys(document.metadata ?? {})) found.add(name);
  }
  return [...found];
}

/** Returns a row of a CSV file (RFC 4180). Lists and objects are written as JSON. */
export function csvRow(values: readonly unknown[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}

/** Returns the fields of a document, in order. Metadata comes first where a name is in both. */
export function csvValues(document: ScrapeDocument, fields: readonly string[]): unknown[] {
  const metadata: Readonly<Record<string, unknown>> = document.metadata ?? {};
  const parts: Readonly<Record<string, unknown>> = document;
  return fields.map((field) => {
    if (field === 'url') return metadata.url ?? metadata.sourceURL;
    return Object.hasOwn(metadata, field) ? metadata[field] : field === 'metadata' ? undefined : parts[field];
  });
}

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  // A spreadsheet runs a cell that starts like a formula; web pages aren't trusted.
  const safe = typeof value === 'string' && /^(?:[=@\t\r]|[+-](?! ))/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

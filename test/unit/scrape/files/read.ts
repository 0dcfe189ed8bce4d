import assert from 'node:assert/strict';
import { type ConvertResult, convert } from '../../../../src/service/web/scrape/convert/tasks.ts';
import { kindOfFile } from '../../../../src/service/web/scrape/file-kind.ts';

const options = {
  url: '',
  onlyMainContent: true,
  onlyCleanContent: false,
  removeBase64Images: true,
  markdown: true,
  html: true,
};

interface Wish {
  type?: string | undefined;
  images?: boolean;
  maxPages?: number;
  pageRange?: string;
}

/** The files that tests have read whole, and what became of them; for the benchmark that compares with others. */
export const checks: { body: Buffer; type: string | undefined; markdown: string }[] = [];

/** Converts a file as the service does. */
export async function read(body: Buffer, wish: Wish = {}): Promise<ConvertResult> {
  const result = await convertFile(body, wish);
  if (Object.keys(wish).every((name) => name === 'type'))
    checks.push({ body, type: wish.type, markdown: result.markdown ?? '' });
  return result;
}

/** Converts a file without keeping it for the benchmark. */
export async function convertFile(
  body: Buffer,
  { type, images = false, maxPages = 1000, pageRange }: Wish = {},
): Promise<ConvertResult> {
  const kind = kindOfFile(type, body);
  assert.ok(kind);
  const lists = { links: true, contentLinks: true, images: true };
  const wish = { ...options, removeBase64Images: !images };
  return await convert({ kind, body, contentType: type, raw: false, maxPages, pageRange, lists, options: wish });
}

/** The lines of a result that have text. */
export function lines({ markdown }: ConvertResult): string[] {
  return (markdown ?? '').split('\n').filter((line) => line !== '');
}

export async function markdownOf(body: Buffer, contentType?: string): Promise<string> {
  return (await read(body, { type: contentType })).markdown ?? '';
}

import { decodeHTML } from 'entities';

/** An item of structured data with its properties. */
export type Data = Readonly<Record<string, unknown>>;

/** Deeper data isn't searched. */
const maxDepth = 6;

/** Reads JSON-LD as it is in a page, where it may be in a comment; undefined if it is no JSON. */
export function parsed(text: string): unknown {
  try {
    const inner = text.trim().replace(/^(\/\/|\/\*)?\s*<!(x?\[CDATA\[|--)(\s*\*\/)?/, '');
    return JSON.parse(inner.replace(/(\/\/|\/\*)?(\]\]|--)>( ?\*\/)?$/, ''));
  } catch {
    return undefined;
  }
}

/** Finds the items that data is about, not those that it only refers to. */
export function subjectsIn(data: unknown, depth = 0): Data[] {
  if (depth > maxDepth) return [];
  if (Array.isArray(data)) return data.flatMap((each) => subjectsIn(each, depth + 1));
  if (!isData(data)) return [];
  return [data, ...[data['@graph'], data.mainEntity].flatMap((each) => subjectsIn(each, depth + 1))];
}

export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return undefined;
  const text = decodeHTML(value.replace(/<[^<>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
  return text === '' ? undefined : text;
}

export function isData(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isType(data: Data, name: string): boolean {
  return [data['@type']].flat().some((type) => typeof type === 'string' && type.replace(/^.*[/:]/, '') === name);
}

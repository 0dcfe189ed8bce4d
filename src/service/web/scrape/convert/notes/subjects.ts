import { type Data, parsed, subjectsIn, textOf } from './linked-data.ts';
import type { Item } from './microdata.ts';

const maxTypes = 20;
const maxLength = 60;

/**
 * Returns the types of what a page is about, as its structured data says it, such as `Product`: those of which it describes one
 * thing, since a list describes several; and those of Open Graph, in lower case.
 * @param types all that the page declares
 */
export function subjectTypes(
  linkedData: readonly string[],
  microdata: readonly Item[],
  types: ReadonlySet<string>,
): string[] {
  const described = new Map<string, Set<string>>();
  for (const data of [...linkedData.flatMap((each) => subjectsIn(parsed(each))), ...microdata])
    for (const type of typesOf(data)) {
      const names = described.get(type) ?? new Set();
      described.set(type, names.add(textOf(data.headline) ?? textOf(data.name) ?? textOf(data.title) ?? ''));
    }
  const single = [...described].filter(([, names]) => names.size === 1).map(([type]) => type);
  const plain = [...types].filter((type) => type === type.toLowerCase() && type.length <= maxLength);
  return [...single, ...plain].slice(0, maxTypes);
}

function typesOf(data: Data): string[] {
  const named = [data['@type']].flat().filter((type) => typeof type === 'string');
  return named.map((type) => type.replace(/^.*[/:]/, '')).filter((type) => type !== '' && type.length <= maxLength);
}

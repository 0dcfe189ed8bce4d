import { parseDocument } from 'htmlparser2';
import { select } from './selectors.ts';

/** An attribute of the elements that match a CSS selector. */
export type AttributeQuery = {
  selector: string;
  attribute: string;
};

/** The values of a requested attribute, in document order; elements without it are left out. */
export type AttributeValues = AttributeQuery & {
  values: string[];
};

/** Maximum number of values for each selector. */
const maxValues = 10_000;

/** Collects attributes from a whole page. Throws an InvalidSelector. */
export function collectAttributes(source: string, queries: readonly AttributeQuery[]): AttributeValues[] {
  const { children } = parseDocument(source);
  return queries.map(({ selector, attribute }) => {
    const name = attribute.toLowerCase();
    const values = select(selector, children).flatMap(({ attribs }) => attribs[name] ?? []);
    return { selector, attribute, values: values.slice(0, maxValues) };
  });
}

import render from 'dom-serializer';
import { parseDocument } from 'htmlparser2';
import type { AttributesFormat } from '../../../../../contract/scrape/formats.ts';
import { compileSelectors, type Matcher, select } from './selectors.ts';

const marks = { include: 'data-web-data-include', exclude: 'data-web-data-exclude' } as const;

/** Prepares `includeTags` and `excludeTags` for a page. Throws an InvalidSelector. */
export function selectTags(source: string, includeTags: readonly string[] = [], excludeTags: readonly string[] = []) {
  const include = compileSelectors(includeTags);
  const exclude = compileSelectors(excludeTags);
  const marked =
    include.complex.length + exclude.complex.length === 0
      ? source
      : mark(source, { include: include.complex, exclude: exclude.complex });
  const matcher = (match: Matcher, attribute: string): Matcher => {
    return (name, attributes) => attributes[attribute] !== undefined || match(name, attributes);
  };
  return {
    /** The page, with marker attributes on elements that had to be selected on the tree. */
    source: marked,
    include: includeTags.length === 0 ? undefined : matcher(include.match, marks.include),
    exclude: excludeTags.length === 0 ? undefined : matcher(exclude.match, marks.exclude),
  };
}

function mark(source: string, selectors: { include: string[]; exclude: string[] }): string {
  const document = parseDocument(source, { decodeEntities: false });
  for (const kind of ['include', 'exclude'] as const) {
    for (const selector of selectors[kind]) {
      for (const element of select(selector, document.children)) element.attribs[marks[kind]] = '';
    }
  }
  return render(document, { encodeEntities: false, decodeEntities: false });
}

/** Maximum number of values for each selector. */
const maxValues = 10_000;

/** Collects the values of attributes from a whole page, in document order; elements without one are left out. Throws an InvalidSelector. */
export function collectAttributes(source: string, queries: AttributesFormat['selectors']) {
  const { children } = parseDocument(source);
  return queries.map(({ selector, attribute }) => {
    const name = attribute.toLowerCase();
    const values = select(selector, children).flatMap(({ attribs }) => attribs[name] ?? []);
    return { selector, attribute, values: values.slice(0, maxValues) };
  });
}

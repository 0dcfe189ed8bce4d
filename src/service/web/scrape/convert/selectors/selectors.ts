import { selectAll } from 'css-select';
import { parse, type Selector, SelectorType } from 'css-what';
import type { ChildNode, Element } from 'domhandler';
import { shorten } from '../../../../../contract/shorten.ts';
import { ownNames } from '../../../../platform/own-names.ts';

type Attributes = Readonly<Record<string, string>>;
export type Matcher = (name: string, attributes: Attributes) => boolean;

/** A text isn't a valid CSS selector. */
export class InvalidSelector extends Error {
  constructor(selector: string) {
    super(`"${shorten(selector)}" isn't a valid CSS selector`);
    this.name = 'InvalidSelector';
  }
}

/** Compiles CSS selectors for matching while a page is parsed. Throws an InvalidSelector. */
export function compileSelectors(selectors: readonly string[]) {
  /** Those that can be decided from an element alone. */
  const simple: Matcher[] = [];
  /** Those that have to be matched on a tree. */
  const complex: string[] = [];
  for (const selector of selectors) {
    for (const parts of parsed(selector)) {
      const matchers = parts.map(partMatcher);
      if (matchers.every((matcher) => matcher !== undefined)) {
        simple.push((name, attributes) => matchers.every((matches) => matches(name, attributes)));
      } else {
        complex.push(selector);
        break;
      }
    }
  }
  const match: Matcher = (name, attributes) => simple.some((matches) => matches(name, attributes));
  return { match, complex };
}

function parsed(selector: string): Selector[][] {
  try {
    return parse(selector);
  } catch {
    throw new InvalidSelector(selector);
  }
}

/** Returns the elements of a tree that match a CSS selector, in document order. Throws an InvalidSelector. */
export function select(selector: string, roots: ChildNode[]): Element[] {
  try {
    return selectAll<ChildNode, Element>(selector, roots);
  } catch {
    throw new InvalidSelector(selector);
  }
}

/** Returns a matcher for one part of a selector; undefined if it can't be decided from an element alone. */
function partMatcher(part: Selector): Matcher | undefined {
  if (part.type === SelectorType.Universal) return () => true;
  if (part.type === SelectorType.Tag) {
    const expected = part.name.toLowerCase();
    return (name) => name === expected;
  }
  if (part.type !== SelectorType.Attribute || part.ignoreCase === true) return undefined;
  const { name: attribute, value, action } = part;
  const compare = comparisons[action];
  if (!compare) return undefined;
  return (_, attributes) => {
    const actual = attributes[attribute];
    return actual !== undefined && compare(actual, value);
  };
}

const comparisons: Record<string, (actual: string, expected: string) => boolean> = ownNames({
  exists: () => true,
  equals: (actual, expected) => actual === expected,
  element: (actual, expected) => actual === expected || actual.split(/\s+/).includes(expected),
  start: (actual, expected) => expected !== '' && actual.startsWith(expected),
  end: (actual, expected) => expected !== '' && actual.endsWith(expected),
  any: (actual, expected) => expected !== '' && actual.includes(expected),
});

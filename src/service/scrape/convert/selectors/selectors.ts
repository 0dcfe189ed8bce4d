import { parse, type Selector, SelectorType } from 'css-what';

type Attributes = Readonly<Record<string, string>>;
export type Matcher = (name: string, attributes: Attributes) => boolean;

/** Selectors made ready: those that an element alone decides, and those that need the whole tree. */
export interface CompiledSelectors {
  match: Matcher;
  /** Selectors to be resolved on a tree. */
  complex: string[];
}

/** A text that was given as a CSS selector is none. */
export class InvalidSelector extends Error {
  constructor(selector: string) {
    super(`"${selector.slice(0, 200)}" is no CSS selector`);
    this.name = 'InvalidSelector';
  }
}

/** Compiles CSS selectors for matching while a page is parsed. Throws an InvalidSelector. */
export function compileSelectors(selectors: readonly string[]): CompiledSelectors {
  const simple: Matcher[] = [];
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
  return { match: (name, attributes) => simple.some((matches) => matches(name, attributes)), complex };
}

function parsed(selector: string): Selector[][] {
  try {
    return parse(selector);
  } catch {
    throw new InvalidSelector(selector);
  }
}

/** What one part of a selector asks of an element; undefined where an element alone cannot answer. */
function partMatcher(part: Selector): Matcher | undefined {
  if (part.type === SelectorType.Universal) return () => true;
  if (part.type === SelectorType.Tag) {
    const wanted = part.name.toLowerCase();
    return (name) => name === wanted;
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

const comparisons: Record<string, (actual: string, wanted: string) => boolean> = {
  exists: () => true,
  equals: (actual, wanted) => actual === wanted,
  element: (actual, wanted) => actual === wanted || actual.split(/\s+/).includes(wanted),
  start: (actual, wanted) => wanted !== '' && actual.startsWith(wanted),
  end: (actual, wanted) => wanted !== '' && actual.endsWith(wanted),
  any: (actual, wanted) => wanted !== '' && actual.includes(wanted),
};

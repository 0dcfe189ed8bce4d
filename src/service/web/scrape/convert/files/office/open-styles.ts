import type { ParentNode } from 'domhandler';
import { ownNames } from '../../../../../platform/own-names.ts';
import { attributeOf, elementAt, elementsOf } from '../xml.ts';

/** Styles that programs have for code and quotes, and the elements of those. */
const named: Readonly<Record<string, string>> = ownNames({
  Preformatted_20_Text: 'pre',
  Quotations: 'blockquote',
  Source_20_Text: 'code',
});

interface Style {
  bold: boolean;
  italic: boolean;
  struck: boolean;
  /** The element of what its name says that it is: code or a quote. */
  tag: string;
  /** Undefined: as the text around it. */
  hidden: boolean | undefined;
}

/** Returns the styles of an OpenDocument file by their families and names. They have what the style that they are based on has, and come after it. */
export function stylesOf(all: readonly (ParentNode | undefined)[]): Map<string, Style> {
  const styles = new Map<string, Style>();
  for (const style of all.flatMap((each) => elementsOf(each, 'style'))) {
    const properties = elementAt(style, 'text-properties');
    const family = attributeOf(style, 'family') ?? '';
    const base = styles.get(`${family}/${attributeOf(style, 'parent-style-name')}`);
    const own = (name: string) => properties && attributeOf(properties, name);
    const [weight, slant, display] = [own('font-weight'), own('font-style'), own('display')];
    const [name, line] = [attributeOf(style, 'name') ?? '', own('text-line-through-style')];
    styles.set(`${family}/${name}`, {
      bold: weight === undefined ? base?.bold === true : weight === 'bold',
      italic: slant === undefined ? base?.italic === true : slant === 'italic',
      struck: line === undefined ? base?.struck === true : line !== 'none',
      tag: named[name] ?? base?.tag ?? '',
      hidden: display === undefined ? base?.hidden : display === 'none',
    });
  }
  return styles;
}

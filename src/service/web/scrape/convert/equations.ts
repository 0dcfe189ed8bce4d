import type { Element, ParentNode } from 'domhandler';
import { ownNames } from '../../../platform/own-names.ts';
import { attributeOf, elementAt, elementsOf, nameOf, textOf } from './files/xml.ts';

/** What an equation says about itself rather than shows. */
const skipped = /^(annotation(-xml)?|.+Pr)$/;
/** Symbols of sums and so on where a document names none. */
const usualSymbol = '\u222b';
/** Sums, integrals and the like, which stand before what they are of. */
const sign = /^[\u2200-\u22ff]$/;
/** Operators that are only read aloud, such as "times" between `2` and `x`. */
const invisible = /[\u2062-\u2064]/g;
/** The operator between a function's name and what it is of. */
const application = '\u2061';

/** How signs above a letter combine with it. */
const accents: Readonly<Record<string, string>> = ownNames({
  '^': '\u0302',
  '\u02c6': '\u0302',
  '~': '\u0303',
  '\u02dc': '\u0303',
  '\u00a8': '\u0308',
  '\u00af': '\u0304',
  '\u203e': '\u0304',
  '\u02d9': '\u0307',
  '\u2192': '\u20d7',
});

/** Writes an equation of Office (OMML) or MathML on one line, as one writes it in a plain text: `(a+b)/2`, `x^2`, `√(y)`. */
export function equationText(parent: ParentNode): string {
  return elementsOf(parent).map(partText).join('').replaceAll(/\s+/g, ' ').trim();
}

/** The parts of OMML and of MathML stand in the same order, but for a root's degree and what is before its base. */
function partText(element: Element): string {
  const name = nameOf(element);
  if (skipped.test(name)) return '';
  const parts = elementsOf(element)
    .filter((part) => !skipped.test(nameOf(part)))
    .map(partText);
  const [first = '', second = '', third = ''] = parts;
  const property = (part: string) => {
    const found = elementAt(element, `${name}Pr`, part);
    return found && (attributeOf(found, 'val') ?? '');
  };
  switch (name) {
    case 'f':
    case 'mfrac':
      // Without a bar, such as in a binomial coefficient, it is no fraction.
      if (property('type') === 'noBar' || /^0[a-z%]*$/.test(element.attribs.linethickness ?? ''))
        return `${first}; ${second}`;
      return `${grouped(first)}/${grouped(second)}`;
    case 'sSub':
    case 'msub':
    case 'munder':
    case 'limLow':
      return first + script('_', second);
    case 'mover': {
      const accent = first.length === 1 ? accents[second] : undefined;
      return accent === undefined ? first + script('^', second) : (first + accent).normalize('NFC');
    }
    case 'sSup':
    case 'msup':
    case 'limUpp':
      return first + script('^', second);
    case 'sSubSup':
    case 'msubsup':
    case 'munderover':
      return first + script('_', second) + script('^', third) + (sign.test(first) ? ' ' : '');
    case 'sPre':
      return script('_', first) + script('^', second) + third;
    case 'nary':
      return `${property('chr') ?? usualSymbol}${script('_', first)}${script('^', second)} ${third}`;
    case 'rad':
      return `${first}\u221a(${second})`;
    case 'mroot':
      return `${second}\u221a(${first})`;
    case 'msqrt':
      return `\u221a(${parts.join('')})`;
    case 'd':
      return `${property('begChr') ?? '('}${parts.join(property('sepChr') ?? '|')}${property('endChr') ?? ')'}`;
    case 'mfenced':
      return `${element.attribs.open ?? '('}${parts.join(',')}${element.attribs.close ?? ')'}`;
    case 'func':
      return `${first} ${second}`;
    case 'm':
    case 'eqArr':
      return parts.join('; ');
    case 'mtable': {
      // Equations below each other are aligned at a sign.
      const between = /right\s+left/.test(element.attribs.columnalign ?? '') ? ' ' : ', ';
      return elementsOf(element)
        .map((row) => elementsOf(row).map(partText).join(between))
        .join('; ');
    }
    case 'mr':
    case 'mtr':
      return parts.join(', ');
    case 't':
    case 'mtext':
      return textOf(element);
    case 'mi':
    case 'mn':
    case 'mo':
    case 'ms':
      return textOf(element).replaceAll(invisible, '').trim().replaceAll(application, ' ');
    default:
      return parts.join('');
  }
}

/** Encloses what isn't a single number or word. */
function grouped(text: string): string {
  return /^[\p{L}\p{N}.]*$/u.test(text) ? text : `(${text})`;
}

function script(mark: string, text: string): string {
  return text === '' ? '' : mark + grouped(text);
}

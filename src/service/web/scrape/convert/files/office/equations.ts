import { type Element, isTag, type ParentNode } from 'domhandler';
import { attributeOf, elementAt, elementsOf, nameOf, textOf } from '../xml.ts';

/** What an equation says about itself rather than shows. */
const skipped = /^(annotation(-xml)?|.+Pr)$/;
/** Symbols of sums and so on where a document names none. */
const usualSymbol = '\u222b';

/** Writes an equation of Office (OMML) or MathML on one line, as one writes it in a plain text: `(a+b)/2`, `x^2`, `√(y)`. */
export function equationText(parent: ParentNode): string {
  return elementsOf(parent).map(partText).join('').replaceAll(/\s+/g, ' ').trim();
}

function partText(element: Element): string {
  const name = nameOf(element);
  if (skipped.test(name)) return '';
  const parts = elementsOf(element);
  const at = (index: number) => (parts[index] ? partText(parts[index]) : '');
  const of = (part: string) => elementsOf(element, part).map(equationText).join('');
  const property = (part: string) => {
    const found = elementAt(element, `${name}Pr`, part);
    return found && (attributeOf(found, 'val') ?? '');
  };
  switch (name) {
    case 'f':
      return fraction(of('num'), of('den'));
    case 'mfrac':
      return fraction(at(0), at(1));
    case 'sSub':
    case 'sSup':
    case 'sSubSup':
      return of('e') + script('_', of('sub')) + script('^', of('sup'));
    case 'sPre':
      return script('_', of('sub')) + script('^', of('sup')) + of('e');
    case 'msub':
    case 'munder':
      return at(0) + script('_', at(1));
    case 'msup':
    case 'mover':
      return at(0) + script('^', at(1));
    case 'msubsup':
    case 'munderover':
      return at(0) + script('_', at(1)) + script('^', at(2));
    case 'limLow':
      return of('e') + script('_', of('lim'));
    case 'limUpp':
      return of('e') + script('^', of('lim'));
    case 'rad':
      return `${of('deg')}\u221a(${of('e')})`;
    case 'msqrt':
      return `\u221a(${parts.map(partText).join('')})`;
    case 'mroot':
      return `${at(1)}\u221a(${at(0)})`;
    case 'nary':
      return `${property('chr') ?? usualSymbol}${script('_', of('sub'))}${script('^', of('sup'))} ${of('e')}`;
    case 'd': {
      const inner = elementsOf(element, 'e')
        .map(equationText)
        .join(property('sepChr') ?? '|');
      return `${property('begChr') ?? '('}${inner}${property('endChr') ?? ')'}`;
    }
    case 'mfenced':
      return `${element.attribs.open ?? '('}${parts.map(partText).join(',')}${element.attribs.close ?? ')'}`;
    case 'func':
      return `${of('fName')} ${of('e')}`;
    case 'm':
    case 'eqArr':
    case 'mtable':
      return parts
        .filter((part) => !skipped.test(nameOf(part)))
        .map(partText)
        .join('; ');
    case 'mr':
    case 'mtr':
      return parts.map(partText).join(', ');
    case 't':
    case 'mtext':
      return textOf(element);
    case 'mi':
    case 'mn':
    case 'mo':
    case 'ms':
      return textOf(element).trim();
    default:
      return parts.some(isTag) ? parts.map(partText).join('') : '';
  }
}

/** Encloses what isn't a single number or word. */
function grouped(text: string): string {
  return /^[\p{L}\p{N}.]*$/u.test(text) ? text : `(${text})`;
}

function fraction(above: string, below: string): string {
  return `${grouped(above)}/${grouped(below)}`;
}

function script(sign: string, text: string): string {
  return text === '' ? '' : sign + grouped(text);
}

import type { Meaning } from './phrases.ts';
import type { Token } from './tokens.ts';

/** A phrase of a sentence, or `T` a section, `N` a name, `L` a path, file or quotation, `1` a number, `M` an amount, `,`, `-`, or `/` before a list. */
export interface Unit extends Meaning {
  tokens: readonly Token[];
  value?: number;
  /** Whether the words of an amount make it a limit: “at most 5 pages”; “more than 5 pages” needs a denial to be one. */
  bound?: 'most' | 'least';
}

export const isDenial = ({ is }: Unit): boolean => 'nade'.includes(is);
export const isHead = ({ is }: Unit): boolean => 'nadewo'.includes(is);
/** Whether a unit is a thing or an unknown word, rather than one that joins others. */
export const isContent = ({ is, of, flag }: Unit): boolean =>
  'NTLOAU1M'.includes(is) || flag === 'posts' || (is === 'u' && of !== 'limit');
export const lettersOf = (units: readonly Unit[]): string => units.map(({ is }) => is).join('');
/** The first word of a unit, as written. */
export const textOf = (unit: Unit | undefined): string => unit?.tokens[0]?.text ?? '';
export const isLabel = (unit: Unit | undefined): boolean => unit?.tokens.at(-1)?.isLabel === true;

import { stripVTControlCharacters } from 'node:util';
import { shorten } from '../contract/shorten.ts';

/** Control characters, lone surrogates, and characters that change the direction of text. */
const unsafeCharacters = /[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Makes text from a server safe to show: no control or direction characters, shortened to `max` characters. */
export function safeText(text: string, max: number): string {
  const clean = stripVTControlCharacters(shorten(text, max * 4)).replace(unsafeCharacters, (character) =>
    character === '\n' || character === '\t' ? character : '',
  );
  return shorten(clean.trim(), max);
}

/** As `safeText`, on one line. */
export function safeLine(text: string, max: number): string {
  return safeText(shorten(text, max * 8).replace(/\s+/g, ' '), max);
}

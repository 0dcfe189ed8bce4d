import { stripVTControlCharacters } from 'node:util';

/** Control characters, lone surrogates, and characters that change the direction of text. */
const unsafeCharacters = /[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Makes text from a server safe to show: no control or direction characters, at most `max` characters. */
export function safeText(text: string, max: number): string {
  const start = stripVTControlCharacters(text.slice(0, max * 4));
  const clean = start.replace(unsafeCharacters, (character) =>
    character === '\n' || character === '\t' ? character : '',
  );
  const characters = Array.from(clean.trim());
  return characters.length > max ? `${characters.slice(0, max).join('')}…` : characters.join('');
}

/** As `safeText`, on one line. */
export function safeLine(text: string, max: number): string {
  return safeText(text.slice(0, max * 8).replace(/\s+/g, ' '), max);
}

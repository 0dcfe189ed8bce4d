/**
 * The order of pages in lists: by URL, with numbers ordered by value, so that page 2 comes before page 10.
 * A key has the length of each number before it. Sorting keys by their code units sorts the texts.
 */

/** Follows a number once for each of its leading zeros; no URL contains it. */
const zero = '\u0002';

/** Returns the sort key of a text. Different texts have different keys, and the key of a folder starts those of its pages. */
export function orderKey(text: string): string {
  return text.replace(/\d+/g, (digits) => {
    const value = digits.replace(/^0+(?=\d)/, '');
    return lengthMark(value.length) + value + zero.repeat(digits.length - value.length);
  });
}

/** Returns the text of a key. */
export function textOfKey(key: string): string {
  const marks = /(9*)([1-8])/g;
  let text = '';
  let at = 0;
  for (let mark = marks.exec(key); mark; mark = marks.exec(key)) {
    const [{ length }, nines = '', last] = mark;
    const start = mark.index + length;
    const end = start + 8 * nines.length + Number(last);
    let next = end;
    while (key[next] === zero) next++;
    text += key.slice(at, mark.index) + '0'.repeat(next - end) + key.slice(start, end);
    at = next;
    marks.lastIndex = next;
  }
  return text + key.slice(at);
}

/** Returns 1 to 8 for up to eight digits, 91 to 98 for up to 16, and so on: longer numbers sort after shorter ones. */
function lengthMark(length: number): string {
  return '9'.repeat(Math.floor((length - 1) / 8)) + String(((length - 1) % 8) + 1);
}

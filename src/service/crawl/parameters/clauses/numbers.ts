const units: Record<string, number> = {
  zero: 0,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  thirteen: 13,
  fourteen: 14,
  fifteen: 15,
  sixteen: 16,
  seventeen: 17,
  eighteen: 18,
  nineteen: 19,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  seventy: 70,
  eighty: 80,
  ninety: 90,
};
const scales: Record<string, number> = { dozen: 12, hundred: 100, thousand: 1000, million: 1_000_000 };
const word = [...Object.keys(units), ...Object.keys(scales)].join('|');
/** Consecutive number words that aren't part of a path, a name or a compound. */
const numberWords = new RegExp(
  `(?<![\\w/.-])(?:an?\\s+(?=(?:${Object.keys(scales).join('|')})\\b)|half\\s+an?\\s+(?=dozen\\b))?(?:${word})(?:(?:[\\s-]+and)?[\\s-]+(?:${word}))*s?(?![\\w/-])`,
  'gi',
);
const digits = /(?<![\w/.-])(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?:\s*(k)\b|\s+(thousand|hundred|million|dozen)\b)?/gi;

/** Writes every number in a text as digits, including `two hundred and fifty`, `a dozen`, `2k` and `1,000`. */
export function numbersAsDigits(text: string): string {
  return text
    .replace(/(?<![\w/-])half\s+a\s+(?=second|minute)/gi, '0.5 ')
    .replace(/(?<![\w/-])a\s+quarter\s+of\s+a\s+(?=second|minute)/gi, '0.25 ')
    .replace(/(?<![\w/-])(?:one|1|an?)\s+(second|minute)\s+and\s+a\s+half\b/gi, '1.5 $1s')
    .replace(/(?<![\w/-])an?\s+(?=second\b|minute\b)/gi, '1 ')
    .replace(/(?<![\w/-])a\s+couple(?:\s+of)?(?![\w-])/gi, '2')
    .replace(digits, (_, number: string, k: string | undefined, scale: string | undefined) => {
      const factor = k ? 1000 : (scales[scale?.toLowerCase() ?? ''] ?? 1);
      return String(Number(number.replaceAll(',', '')) * factor);
    })
    .replace(numberWords, (words) => String(numberOf(words)))
    .replace(/(?<![\w/.-])(\d+)\s+and\s+a\s+half(?=\s)/gi, '$1.5');
}

function numberOf(words: string): number {
  const half = /^half\s/i.test(words) ? 0.5 : 1;
  let total = 0;
  let current = 0;
  for (const part of words.toLowerCase().split(/[\s-]+/)) {
    const name = part.replace(/(?<=dozen|hundred|thousand|million)s$/, '');
    const scale = scales[name];
    if (scale === undefined) current += units[name] ?? 0;
    else if (scale < 1000) current = (current || 1) * scale;
    else {
      total += (current || 1) * scale;
      current = 0;
    }
  }
  return (total + current) * half;
}

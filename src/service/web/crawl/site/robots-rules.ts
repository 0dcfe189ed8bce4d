/** A rule of a robots.txt, as normalized. */
export interface RobotsRule {
  /** Can have `*`, and `$` at its end. */
  pattern: string;
  allow: boolean;
  /** Created when a rule with a `*` is first used, for all crawlers. */
  matches?: (path: string) => boolean;
}

/** A rule without a `*`, and the longest other one that it begins with. */
interface Plain {
  pattern: string;
  allow: boolean;
  shorter: Plain | undefined;
}

/** Characters of a rule between two `*`. */
const maxPiece = 10_000;
/** For pieces up to this length, `indexOf` is as good as linear. */
const shortPiece = 8;
/** Characters of a path, times the rules with a `*` that are looked for in it: 500 such rules in 1,000 characters. */
const mostLookedAt = 500_000;

/**
 * Returns a function that tells whether a path is allowed: the longest rule wins, and of two equally long rules, the one that
 * allows (RFC 9309, 2.2.2). A path that is too long for as many rules with a `*` as there are is not allowed: one may disallow it.
 */
export function createRules(rules: readonly RobotsRule[]): (path: string) => boolean {
  const wild = rules
    .filter(({ pattern }) => pattern.includes('*'))
    .toSorted((one, other) => other.pattern.length - one.pattern.length || Number(other.allow) - Number(one.allow));
  const whole = new Map<string, boolean>();
  const starts = new Map<string, boolean>();
  for (const { pattern, allow } of rules) {
    if (pattern.includes('*')) continue;
    const [known, text] = pattern.endsWith('$') ? [whole, pattern.slice(0, -1)] : [starts, pattern];
    known.set(text, allow || known.get(text) === true);
  }
  const plain = linked(starts);
  return (path) => {
    const start = longestStart(plain, path);
    // With its `$`, a rule for the whole path is longer than any other without a `*`.
    const allowed = whole.get(path) ?? start?.allow ?? true;
    const length = whole.has(path) ? path.length + 1 : (start?.pattern.length ?? 0);
    const longer = wild.filter(({ pattern }) => pattern.length >= length && startsAs(path, pattern));
    if (longer.length * path.length > mostLookedAt) return false;
    const rule = longer.find((each) => {
      each.matches ??= matcherOf(each.pattern);
      return each.matches(path);
    });
    return rule === undefined ? allowed : rule.allow || (rule.pattern.length === length && allowed);
  };
}

/** Whether a path starts with what a pattern has before its first `*`. */
function startsAs(path: string, pattern: string): boolean {
  const end = pattern.indexOf('*');
  return path.startsWith(pattern.slice(0, end));
}

/** Returns patterns in the order of their characters, each with the longest one that it begins with. */
function linked(starts: ReadonlyMap<string, boolean>): Plain[] {
  const all: Plain[] = [];
  let last: Plain | undefined;
  for (const [pattern, allow] of [...starts].sort(([one], [other]) => (one < other ? -1 : 1))) {
    while (last && !pattern.startsWith(last.pattern)) last = last.shorter;
    last = { pattern, allow, shorter: last };
    all.push(last);
  }
  return all;
}

/** Returns the longest pattern that a path starts with: it is the last one before the path, or one that this begins with. */
function longestStart(all: readonly Plain[], path: string): Plain | undefined {
  let [from, to] = [0, all.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((all[middle]?.pattern ?? '') <= path) from = middle + 1;
    else to = middle;
  }
  let found = all[from - 1];
  if (!found) return undefined;
  let same = 0;
  while (same < found.pattern.length && found.pattern.charCodeAt(same) === path.charCodeAt(same)) same++;
  while (found && found.pattern.length > same) found = found.shorter;
  return found;
}

/** Returns a function that matches a pattern with `*` and a final `$` to the start of a path, piece by piece, each at its first occurrence. */
function matcherOf(pattern: string): (path: string) => boolean {
  const anchored = pattern.endsWith('$');
  const [first = '', ...rest] = (anchored ? pattern.slice(0, -1) : pattern).split('*');
  if (rest.length === 0) return anchored ? (path) => path === first : (path) => path.startsWith(first);
  const last = anchored ? (rest.pop() ?? '') : '';
  // No path that is fetched is as long as the longest of them.
  const pieces = rest.filter((piece) => piece !== '').map((piece) => finderOf(piece.slice(0, maxPiece)));
  return (path) => {
    if (!path.startsWith(first)) return false;
    let at = first.length;
    for (const end of pieces) {
      at = end(path, at);
      if (at === -1) return false;
    }
    return !anchored || (path.length - last.length >= at && path.endsWith(last));
  };
}

/** Returns a function that finds the end of the first occurrence of `piece`, or -1, in linear time (Knuth, Morris and Pratt), unlike `indexOf`. */
function finderOf(piece: string): (text: string, from: number) => number {
  if (piece.length <= shortPiece) {
    return (text, from) => {
      const at = text.indexOf(piece, from);
      return at === -1 ? -1 : at + piece.length;
    };
  }
  /** For each length that has matched: the longest shorter one that then matches too. */
  const shorter = new Uint16Array(piece.length + 1);
  for (let length = 1, matched = 0; length < piece.length; ) {
    if (piece.charCodeAt(length) === piece.charCodeAt(matched)) shorter[++length] = ++matched;
    else if (matched > 0) matched = shorter[matched] ?? 0;
    else length++;
  }
  return (text, from) => {
    for (let at = from, matched = 0; at < text.length; ) {
      if (text.charCodeAt(at) === piece.charCodeAt(matched)) {
        at++;
        if (++matched === piece.length) return at;
      } else if (matched > 0) matched = shorter[matched] ?? 0;
      else at++;
    }
    return -1;
  };
}

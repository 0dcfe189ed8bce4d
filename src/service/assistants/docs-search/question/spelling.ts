/** Returns the words that a misspelled word may mean: one edit away, or two for words of ten letters or more. Short words have none. */
export function nearWords(word: string, vocabulary: Iterable<string>): string[] {
  if (word.length < 5 || word.length > 40 || /\d/.test(word)) return [];
  const most = word.length >= 10 ? 2 : 1;
  let best = most;
  let near: string[] = [];
  for (const candidate of vocabulary) {
    if (Math.abs(candidate.length - word.length) > best || candidate.length < 4) continue;
    const distance = editDistance(word, candidate, best);
    if (distance > best) continue;
    if (distance < best) near = [];
    best = distance;
    near.push(candidate);
  }
  // People seldom get the first letter wrong.
  const alike = near.filter((candidate) => candidate[0] === word[0]);
  const chosen = word.length > 6 && alike.length === 0 ? near : alike;
  return chosen.filter((candidate) => word.length > 5 || candidate[1] === word[1]).slice(0, 5);
}

/** Returns the number of insertions, deletions, replacements and swaps of neighbors between two words, at most `most + 1`. */
export function editDistance(one: string, other: string, most: number): number {
  let before: number[] = [];
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      let cost = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]) {
        cost = Math.min(cost, (before[column - 2] ?? 0) + 1);
      }
      current.push(cost);
      least = Math.min(least, cost);
    }
    if (least > most) return most + 1;
    before = previous;
    previous = current;
  }
  return previous[other.length] ?? most + 1;
}

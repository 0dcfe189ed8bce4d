/** Returns headers as pairs of a name and a value, as they were sent: Node keeps only the first of some, and joins others. */
export function headerPairs(rawHeaders: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) pairs.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '']);
  return pairs;
}

/** Returns every value of a header as it was sent. `name` is in lower case. */
export function headerValues({ rawHeaders }: { readonly rawHeaders: readonly string[] }, name: string): string[] {
  return headerPairs(rawHeaders).flatMap(([sent, value]) => (sent.toLowerCase() === name ? value : []));
}

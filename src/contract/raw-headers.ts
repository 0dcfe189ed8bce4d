/** Returns every value of a header as it was sent: Node keeps only the first of some, and joins others. `name` is in lower case. */
export function headerValues({ rawHeaders }: { readonly rawHeaders: readonly string[] }, name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? '');
  }
  return values;
}

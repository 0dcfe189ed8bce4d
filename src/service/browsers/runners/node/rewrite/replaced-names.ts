/** Replacements of names that only modules have: of the same length, which keeps columns, and that nothing else uses. */
export const replacedNames = {
  import: '\u0131mport',
  __dirname: '\u0131_dirname',
  __filename: '\u0131_filename',
} as const;

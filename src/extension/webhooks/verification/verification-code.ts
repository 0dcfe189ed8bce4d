/** The languages with verification code: VS Code language id -> file in media/webhook-verification. */
export const verificationFiles = {
  typescript: 'verify.ts',
  javascript: 'verify.ts',
  python: 'verify.py',
  go: 'verify.go',
} as const;
export type VerificationLanguage = keyof typeof verificationFiles;

/**
 * Prepares verification code for a document: complete for an empty one, otherwise without imports it already has.
 * For JavaScript, types are removed from the TypeScript code.
 * @returns the code to insert at the cursor, and the imports, with the line to insert them before: undefined if none are to add
 */
export function insertionFor(language: VerificationLanguage, code: string, document: string) {
  const text = language === 'javascript' ? withoutTypes(code) : code;
  if (document.trim() === '') return { importLine: undefined, imports: '', code: text };
  const lines = text.trimEnd().split('\n');
  const wanted = lines.filter((line) => isImport(language, line));
  const missing = wanted.map((line) => line.trim()).filter((line) => !has(language, document, line));
  const rest = lines.filter((line) => !isImport(language, line) && !/^(package \w+|import \(|\))$/.test(line));
  const written = language === 'go' ? missing.map((path) => `import ${path}`) : missing;
  return {
    importLine: missing.length > 0 ? importLineOf(language, document) : undefined,
    imports: written.map((line) => `${line}\n`).join(''),
    code: `${rest.join('\n').trim()}\n`,
  };
}

function isImport(language: VerificationLanguage, line: string): boolean {
  if (language === 'go') return /^\t"[\w/]+"$/.test(line);
  return /^(import|from) /.test(line);
}

function has(language: VerificationLanguage, document: string, line: string): boolean {
  if (language === 'go') return document.includes(line);
  return document.split('\n').some((own) => own.trim() === line);
}

/** After a package clause, a shebang or `from __future__`; otherwise at the top. */
function importLineOf(language: VerificationLanguage, document: string): number {
  const lines = document.split('\n');
  if (language === 'go') return lines.findIndex((line) => line.startsWith('package ')) + 1;
  const last = lines.findLastIndex(
    (line, index) => (index === 0 && line.startsWith('#!')) || /^from __future__ /.test(line),
  );
  return last + 1;
}

/** Removes only the annotations that occur in the code; a test runs the result. */
function withoutTypes(code: string): string {
  return code
    .replace(/(\w+)\??: (?:Uint8Array|string \| undefined|string)(?=[,)])/g, '$1')
    .replace(/\): boolean \{/, ') {');
}

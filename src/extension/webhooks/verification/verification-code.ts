/** Languages that there is verification code in: VS Code language id -> file in media/webhook-verification. */
export const verificationFiles = {
  typescript: 'verify.ts',
  javascript: 'verify.ts',
  python: 'verify.py',
  go: 'verify.go',
} as const;
export type VerificationLanguage = keyof typeof verificationFiles;

/** Texts to put into a document: imports at their line, the code where the cursor is. */
export interface Insertion {
  /** Line before which `imports` go; undefined when there are none to add. */
  importLine: number | undefined;
  imports: string;
  code: string;
}

/**
 * How verification code goes into a document: whole into an empty one, else without what the document already has.
 * Code for TypeScript loses its types in JavaScript.
 */
export function insertionFor(language: VerificationLanguage, code: string, document: string): Insertion {
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

/** Behind a package clause, a shebang and `from __future__`; else at the top. */
function importLineOf(language: VerificationLanguage, document: string): number {
  const lines = document.split('\n');
  if (language === 'go') return lines.findIndex((line) => line.startsWith('package ')) + 1;
  const last = lines.findLastIndex(
    (line, index) => (index === 0 && line.startsWith('#!')) || /^from __future__ /.test(line),
  );
  return last + 1;
}

/** Only the annotations that the code has are known here; a test runs the outcome. */
function withoutTypes(code: string): string {
  return code
    .replace(/(\w+)\??: (?:Uint8Array|string \| undefined|string)(?=[,)])/g, '$1')
    .replace(/\): boolean \{/, ') {');
}

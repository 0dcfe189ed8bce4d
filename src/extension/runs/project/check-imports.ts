import { createRequire } from 'node:module';
import type { Language } from '../../../contract/sessions/execution.ts';
import { findNodeImport, findPythonImport, projectImportError } from './project-imports.ts';

type Scanner = Pick<typeof import('./import-scanner.ts'), 'scanImports'>;

/**
 * Throws a SnippetError if code imports a file or package of the project, which another server can't read.
 * @param scanner path of the bundled import-scanner.ts
 */
export function checkImports(code: string, language: Language, file: string | undefined, scanner: string): void {
  if (language === 'bash') return;
  const found = language === 'python' ? findPythonImport(code, file) : findNodeImport(scan(code, scanner), file);
  if (found) throw projectImportError(found);
}

function scan(code: string, scanner: string): ReturnType<Scanner['scanImports']> {
  if (!/\b(?:import|require|export)\b/.test(code)) return [];
  const { scanImports } = createRequire(scanner)(scanner) as Scanner;
  return scanImports(code);
}

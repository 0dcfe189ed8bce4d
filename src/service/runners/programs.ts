import { join } from 'node:path';

// In the built service `import.meta.dirname` is dist/, which contains the other programs. Run from source, they are in dist/ too.
const dist = import.meta.dirname.endsWith(join('src', 'service', 'runners'))
  ? join(import.meta.dirname, '..', '..', '..', 'dist')
  : import.meta.dirname;

/** Paths of the programs that runners start, and of what they load. */
export const programs = {
  nodeRunner: join(dist, 'node-runner.cjs'),
  playwright: join(dist, 'vendor', 'playwright-core'),
  pythonRunner: join(dist, 'python-runner', 'main.py'),
} as const;

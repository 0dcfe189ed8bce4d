import { join } from 'node:path';

// In the built service `import.meta.dirname` is dist/, where the other programs lie; from source they are built there as well.
const dist = import.meta.dirname.endsWith(join('src', 'service', 'runners'))
  ? join(import.meta.dirname, '..', '..', '..', 'dist')
  : import.meta.dirname;

/** Programs that runners start, and what they load. */
export const programs = {
  nodeRunner: join(dist, 'node-runner.cjs'),
  playwright: join(dist, 'vendor', 'playwright-core'),
  pythonRunner: join(dist, 'python-runner', 'main.py'),
} as const;

import { join } from 'node:path';

// The programs are in dist/, which is `import.meta.dirname` in the built service but not when it runs from source.
const dist = import.meta.dirname.endsWith(join('browsers', 'runners'))
  ? join(import.meta.dirname, '..', '..', '..', '..', 'dist')
  : import.meta.dirname;

/** Paths of the programs that runners start, and of what they load. */
export const programs = {
  nodeRunner: join(dist, 'node-runner.cjs'),
  /** Connects a sandbox to the service; see isolation/. */
  bridge: join(dist, 'sandbox-bridge.cjs'),
  playwright: join(dist, 'vendor', 'playwright-core'),
  pythonRunner: join(dist, 'python-runner', 'main.py'),
} as const;

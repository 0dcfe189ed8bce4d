import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { eventually } from './eventually.ts';

// Code for Node.js and its test tell each other where they are by files.

/** Code that creates an empty file. */
export const creates = (file: string): string =>
  `(await import('node:fs')).writeFileSync(${JSON.stringify(file)}, '');`;

/** Code that waits until a file exists. */
export const awaits = (file: string): string =>
  `while (!(await import('node:fs')).existsSync(${JSON.stringify(file)})) await new Promise((done) => setTimeout(done, 10));`;

/** Waits until code has created a file. */
export const created = (file: string): Promise<void> => eventually(() => assert.ok(existsSync(file)));

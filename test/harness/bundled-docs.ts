import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BundledDocs } from '../../src/extension/docs-chat/evidence/evidence.ts';
import { headingsOf } from '../../src/extension/docs-chat/evidence/headings.ts';
import { repository } from './folders.ts';

export const docsFolder = join(repository, 'docs');

/** The docs that the extension ships, read from the repository. */
export const bundledDocs: BundledDocs = {
  names: async () => new Set((await readdir(docsFolder)).filter((name) => name.endsWith('.md'))),
  headings: async (name) => headingsOf(await readFile(join(docsFolder, name), 'utf8')),
};

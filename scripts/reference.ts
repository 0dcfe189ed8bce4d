// Fills the tables of docs/ that come from the contract. With --check, exits 1 when a page is not current.
import { writeOrCheck } from './lib/generated-files.ts';
import { createReferencePages } from './lib/reference-tables.ts';

await writeOrCheck(await createReferencePages(), 'npm run reference');

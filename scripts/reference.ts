// Fills the tables in docs/ that are generated from the contract. With --check, exits with 1 when a page is out of date.
import { writeOrCheck } from './lib/generated-files.ts';
import { createReferencePages } from './lib/reference-tables.ts';

await writeOrCheck(await createReferencePages(), 'npm run reference');

// Writes the table of commands into package.json and its texts. With --check, exits with 1 when one is out of date.
import { createManifest } from './lib/contributions.ts';
import { writeOrCheck } from './lib/generated-files.ts';

await writeOrCheck(createManifest(), 'npm run contributions');

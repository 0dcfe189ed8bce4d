// Writes docs/openapi.json from the contract. With --check, exits with 1 when the file is out of date.
import { writeOrCheck } from './lib/generated-files.ts';
import { createOpenApiDocument, openApiPath } from './lib/openapi-document.ts';

await writeOrCheck(new Map([[openApiPath, createOpenApiDocument()]]), 'npm run openapi');

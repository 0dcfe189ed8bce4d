import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createOpenApiDocument, openApiPath } from '../../../scripts/lib/openapi-document.ts';
import { createReferencePages, fillBlocks } from '../../../scripts/lib/reference-tables.ts';
import { type Endpoint, endpoints } from '../../../src/contract/endpoints.ts';

interface OpenApi {
  paths: Record<
    string,
    Record<string, { operationId: string; responses: object; parameters?: { name: string; in: string }[] }>
  >;
}

describe('generated documents', () => {
  it('docs/openapi.json is current (else: npm run openapi)', async () => {
    assert.equal(await readFile(openApiPath, 'utf8'), createOpenApiDocument());
  });

  it('tables in docs/ are current (else: npm run reference)', async () => {
    const pages = await createReferencePages();
    assert.ok(pages.size > 0);
    for (const [path, content] of pages) assert.equal(await readFile(path, 'utf8'), content, path);
  });

  it('the OpenAPI document has every path, alias, parameter and error of the contract, and no embedded endpoints', () => {
    const { paths } = JSON.parse(createOpenApiDocument()) as OpenApi;
    const operations = new Set<string>();
    for (const entry of Object.values<Endpoint>(endpoints)) {
      for (const path of [entry.path, ...(entry.aliases ?? [])]) {
        const operation = paths[path.replace(/:(\w+)/g, '{$1}')]?.[entry.method.toLowerCase()];
        assert.ok(operation, `${entry.method} ${path}`);
        operations.add(operation.operationId);
        for (const status of Object.keys(entry.errors)) assert.ok(status in operation.responses);
        const names = [...Object.keys(entry.params?.shape ?? {}), ...Object.keys(entry.query?.shape ?? {})];
        assert.deepEqual(operation.parameters?.map(({ name }) => name) ?? [], names);
      }
    }
    assert.equal(operations.size, Object.values(paths).flatMap((methods) => Object.keys(methods)).length);
    assert.ok(!Object.keys(paths).some((path) => path.includes('embedded')));
  });

  it('tables are between markers, and the prose around them is unchanged', () => {
    const page = '# T\n\n<!-- contract: createBrowserSession -->\nold\n<!-- /contract -->\n\nAfter $& $1.\n';
    const filled = fillBlocks(page) ?? '';
    assert.ok(filled.startsWith('# T\n\n<!-- contract: createBrowserSession -->\n### POST /v2/browser\n'));
    assert.ok(filled.endsWith('\n<!-- /contract -->\n\nAfter $& $1.\n'));
    assert.match(filled, /\| `ttl` \| integer \| no \| `600` \| 30 to 3600 \|/);
    assert.match(filled, /\| `profile.name` \| string \| yes \| {2}\| 1 to 128 characters \|/);
    assert.equal(fillBlocks(filled), filled);
    assert.equal(fillBlocks('# no block'), undefined);
    assert.throws(() => fillBlocks('<!-- contract: nothing -->\n<!-- /contract -->'), /no endpoint "nothing"/);
  });
});

import assert from 'node:assert/strict';
import type { PageDocuments } from '../../../../src/extension/pages/page-documents.ts';
import { pathOf } from '../../../../src/extension/pages/page-paths.ts';
import type { PagesStore } from '../../../../src/extension/pages/pages-store.ts';
import '../../../harness/fake-vscode.ts';

const job = { kind: 'crawl', id: 'c1' } as const;

describe('documents of pages', () => {
  let documents: PageDocuments;
  let markdown: string;
  const open = (path: string) => documents.readFile({ path } as never);
  const titled = (name: string, title: string) => pathOf(job, `https://a.test/${name}`, 'markdown', title);

  beforeEach(async () => {
    const { PageDocuments } = await import('../../../../src/extension/pages/page-documents.ts');
    markdown = 'text';
    const page = () => ({ document: { markdown, metadata: {} }, readAt: 0 });
    documents = new PageDocuments({ read: async () => page(), readLinks: async () => {} } as unknown as PagesStore);
  });

  it('have no links that run commands (EXT-33)', async () => {
    markdown = '[Download](command:x) [Shop](https://a.test/)';
    const text = String(await open(titled('one', 'One')));
    assert.equal(text, '[Download](command%3Ax) [Shop](https://a.test/)');
  });

  it('are known by the title of their preview, unless several have it', async () => {
    await open(titled('one', 'Only one'));
    await open(titled('one', 'Only one'));
    assert.equal(documents.named('Preview Only one.md')?.page, 'a.test/one');
    for (const name of ['two', 'three']) await open(titled(name, 'Shop'));
    assert.equal(documents.named('Preview Shop.md'), undefined);
    assert.equal(documents.named('Preview Only one.md')?.page, 'a.test/one');
  });
});

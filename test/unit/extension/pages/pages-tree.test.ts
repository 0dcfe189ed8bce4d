import assert from 'node:assert/strict';
import { Signal } from '../../../../src/extension/ui/lifecycle.ts';
import type { PageNode } from '../../../../src/extension/ui/tree-rows.ts';
import { TreeItemCollapsibleState } from '../../../harness/fake-vscode.ts';

const job = { kind: 'crawl', id: '0192f3a4-6c1e-4000-8000-000000000000' } as const;
const warning = 'Some paths were skipped: ^/a\nThe sitemaps could not be read: timeout';
const leftOut = [{ reason: 'limit', count: 3, atLeast: false, examples: [] }];

/** Returns the rows of a job with so many pages. */
async function treeOf(pages: number, missing: object | undefined, folders: object[] = []) {
  const { PagesTree } = await import('../../../../src/extension/pages/pages-tree.ts');
  const documents = Array.from({ length: pages }, (_, at) => ({
    order: at + 1,
    url: `https://a.test/${at + 1}`,
    title: `Page ${at + 1}`,
    state: 'ok',
  }));
  const folder = { pageCount: pages, failedCount: 0, blockedCount: 0, folder: '', folders, cursor: null };
  const source = {
    job,
    folder: async () => ({ ...folder, pages: documents }),
    list: async () => ({ pages: documents, cursor: null }),
    missing: async () => missing,
  };
  const store = { onLoaded: new Signal(), source: async () => source, remember: () => undefined };
  const tree = new PagesTree(store as never);
  return { tree, rows: await tree.rows(job) };
}

/** Returns the rows of a job with so many pages: label and icon. */
async function rowsOf(...given: Parameters<typeof treeOf>): Promise<[unknown, unknown][]> {
  const { tree, rows } = await treeOf(...given);
  return rows.map((row) => {
    const { label, iconPath } = tree.item(row);
    return [label, (iconPath as { id?: string } | undefined)?.id];
  });
}

describe('the rows of the pages of a job', () => {
  const warnings = warning.split('\n').map((line) => [line, 'warning']);
  const left = ['Left out: 3 pages', 'filter'];

  for (const pages of [1, 40])
    it(`begin with its warnings, one row each (${pages} pages)`, async () => {
      const rows = await rowsOf(pages, { leftOut, warning });
      assert.deepEqual(rows.slice(0, 2), warnings);
      assert.ok(rows.some((row) => row[0] === left[0]));
      assert.equal(rows.length, pages + 3);
    });

  it('have what was left out before the pages, however these are listed', async () => {
    const folder = { prefix: 'https://a.test/', name: 'a', pageCount: 3, failedCount: 0, blockedCount: 0 };
    for (const folders of [[], [folder]]) assert.deepEqual((await rowsOf(3, { leftOut }, folders))[0], left);
  });

  it('count no page that was left out twice', async () => {
    const pages = (reason: string, count: number) => ({ reason, count, atLeast: reason === 'limit', examples: [] });
    const { tree, rows } = await treeOf(1, { leftOut: [pages('limit', 0), pages('include', 27), pages('unread', 22)] });
    const [all] = rows as [PageNode];
    assert.equal(tree.item(all).label, 'Left out: at least 27 pages');
    const labels = (await tree.rows(all)).map((row) => tree.item(row).label);
    assert.deepEqual(labels, ['maybe more beyond the limit', '27 not in includePaths', '22 not read for links']);
    const { tree: cut, rows: above } = await treeOf(1, { leftOut: [pages('limit', 1_041)] });
    const [beyond] = await cut.rows(above[0] as PageNode);
    const { label, accessibilityInformation } = cut.item(beyond as PageNode);
    assert.equal(label, '1,041+ beyond the limit');
    assert.equal(accessibilityInformation?.label, 'beyond the limit, at least 1,041 pages, Continue…');
  });

  it('say why there are none', async () => {
    assert.deepEqual(await rowsOf(0, { leftOut, warning }), [...warnings, left]);
    assert.deepEqual(await rowsOf(0, { leftOut, warning: undefined }), [['No pages', undefined], left]);
    assert.deepEqual(await rowsOf(0, undefined), [['No pages yet', undefined]]);
  });

  it('show at once what was left out where there is nothing else', async () => {
    const opensWith = async (pages: number) => {
      const { tree, rows } = await treeOf(pages, { leftOut });
      const item = rows.map((row) => tree.item(row)).find(({ label }) => label === left[0]);
      return item?.collapsibleState;
    };
    assert.equal(await opensWith(0), TreeItemCollapsibleState.Expanded);
    assert.equal(await opensWith(1), TreeItemCollapsibleState.Collapsed);
  });

  it('name some of the pages that were left out, and say how many more there are', async () => {
    const examples = ['https://a.test/shop', 'https://a.test/?page=2'];
    const pages = (count: number, atLeast?: true) => ({ reason: 'include', count, atLeast, examples });
    for (const [given, more] of [
      [pages(2), []],
      [pages(1_002), ['1,000 more known']],
      [pages(5, true), ['at least 3 more known']],
      [{ ...pages(5), examples: [] }, undefined],
    ] as const) {
      const { tree, rows } = await treeOf(0, { leftOut: [given] });
      const [reason] = await tree.rows(rows.at(-1) as PageNode);
      const labels = (await tree.rows(reason as PageNode)).map((row) => tree.item(row).label);
      assert.deepEqual(labels, more ? ['/shop', '/?page=2', ...more] : []);
    }
    const elsewhere = { reason: 'host', count: 1, examples: ['https://b.test/x'] };
    const { tree, rows } = await treeOf(0, { leftOut: [elsewhere, pages(2)] });
    const [other] = await tree.rows(rows.at(-1) as PageNode);
    assert.deepEqual(
      (await tree.rows(other as PageNode)).map((row) => tree.item(row).label),
      ['b.test/x'],
    );
  });
});

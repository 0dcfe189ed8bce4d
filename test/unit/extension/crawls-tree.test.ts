import assert from 'node:assert/strict';
import { CrawlsStore } from '../../../src/extension/crawls/crawls-store.ts';
import '../../harness/fake-vscode.ts';

const nothing = { dispose: () => undefined };
const warning = 'Some paths were skipped: ^/a\nThe sitemaps could not be read: timeout';

/** Returns the icon of a crawl's row and the rows below it, whose pages have rows of such labels. */
async function shown(state: object, pages: readonly string[]): Promise<unknown> {
  const [{ CrawlsTree }, { standInForViews }] = await Promise.all([
    import('../../../src/extension/crawls/crawls-tree.ts'),
    import('../../../src/extension/ui/stand-ins/views.ts'),
  ]);
  const standIns = standInForViews(async () => undefined);
  const store = new CrawlsStore(() => 1_000);
  const list = (current: object) => store.setList([{ id: 'a' }], new Map([['a', current]]) as never);
  list({ status: 'scraping' });
  store.setList([], new Map([['a', state]]) as never);
  const jobPages = {
    rows: async () => pages.map((label) => ({ job: { kind: 'crawl', id: 'a' }, parent: undefined, label })),
    item: ({ label }: { label: string }) => ({ label }),
    onDidChange: () => nothing,
  };
  const watches = { top: () => [], onDidChange: () => nothing, setVisible: () => undefined };
  const tree = new CrawlsTree(
    { store, policy: { setVisible: () => undefined } } as never,
    jobPages as never,
    watches as never,
  );
  const [row] = await tree.getChildren();
  assert.ok(row);
  const icon = (item: { iconPath?: unknown }) => (item.iconPath as { id?: string } | undefined)?.id;
  const below = (await tree.getChildren(row)).map((one) => tree.getTreeItem(one));
  const rows = [icon(tree.getTreeItem(row)), ...below.map((item) => [item.label, icon(item)])];
  tree.dispose();
  for (const standIn of standIns) standIn.dispose();
  return rows;
}

describe('the row of a crawl', () => {
  it('has its warnings as an icon and as rows, which those of its pages do not repeat', async () => {
    const [first, second] = warning.split('\n') as [string, string];
    const done = { status: 'completed', completed: 5 };
    const rows = [
      [first, 'warning'],
      [second, 'warning'],
      ['Page', undefined],
    ];
    assert.deepEqual(await shown({ ...done, warning }, [first, second, 'Page']), ['warning', ...rows]);
    assert.deepEqual(await shown({ ...done, warning }, ['Page']), ['warning', ...rows]);
    assert.deepEqual(await shown(done, ['Page']), ['pass', ['Page', undefined]]);
  });
});

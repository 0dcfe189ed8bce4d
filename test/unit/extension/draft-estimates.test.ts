import assert from 'node:assert/strict';
import type { LogOutputChannel, TextDocument } from 'vscode';
import type { Connection } from '../../../src/extension/connection/connection.ts';
import type { DraftFiles } from '../../../src/extension/crawls/draft/draft-files.ts';
import { commands } from '../../../src/extension/ui/ids.ts';
import { Signal } from '../../../src/extension/ui/lifecycle.ts';
import { eventually } from '../../harness/eventually.ts';
import { fake, happen, Uri, window } from '../../harness/fake-vscode.ts';

describe('the estimate of a draft', () => {
  it('reads the site again only if that is asked for', async () => {
    fake.reset();
    const bodies: unknown[] = [];
    const embedded = {
      async estimateCrawl({ body }: { body: unknown }) {
        bodies.push(body);
        return { found: 9, matches: 6, examples: ['https://shop.test/a'], leftOut: [] };
      },
    };
    const onRefresh = new Signal();
    const connection = { onRefresh, access: async () => ({ embedded }) } as unknown as Connection;
    const draft = (path: string) => {
      const uri = Uri.from({ scheme: 'webdata-crawl', path });
      return { uri, isClosed: false, getText: () => `{"url": "https://shop.test${path}"}` } as unknown as TextDocument;
    };
    const [shown, other] = [draft('/shown'), draft('/other')];
    const drafts = { find: () => ({ text: '', fromSentence: {} }) } as unknown as DraftFiles;
    const { DraftEstimates } = await import('../../../src/extension/crawls/draft/draft-estimates.ts');
    const estimates = new DraftEstimates(drafts, connection, { debug: assert.fail } as unknown as LogOutputChannel);
    const asked = async (count: number) => await eventually(() => assert.equal(bodies.length, count));
    estimates.look(shown);
    await asked(1);
    estimates.look(other);
    await asked(2);
    happen.changed(shown, 'x');
    await asked(3);
    await eventually(() => assert.match(estimates.lensesOf(shown.uri)[0]?.title ?? '', /6 of 9 URLs/));
    const [lens] = estimates.lensesOf(shown.uri);
    assert.deepEqual(
      [lens?.command, lens?.tooltip],
      [commands.refresh, 'Click to read the site again.\nhttps://shop.test/a'],
    );
    window.visibleTextEditors = [{ document: shown }];
    onRefresh.fire();
    await asked(4);
    window.visibleTextEditors = [];
    estimates.dispose();
    assert.deepEqual(bodies, [
      { url: 'https://shop.test/shown' },
      { url: 'https://shop.test/other' },
      { url: 'https://shop.test/shown' },
      { url: 'https://shop.test/shown', lookAgain: true },
    ]);
  });
});

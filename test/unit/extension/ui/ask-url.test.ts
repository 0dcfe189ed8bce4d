import assert from 'node:assert/strict';
import { commands } from '../../../../src/extension/ui/ids.ts';
import { env, fake, window } from '../../../harness/fake-vscode.ts';

interface Input {
  items: { label: string; description?: string; url?: string }[];
}

describe('the input for a URL', () => {
  const { readText } = env.clipboard;
  let reads = 0;
  beforeEach(() => {
    fake.reset();
    reads = 0;
    env.clipboard.readText = async () => {
      reads++;
      return 'https://copied.test/';
    };
  });
  afterEach(() => {
    env.clipboard.readText = readText;
  });

  const request = { title: 'Scrape', command: commands.scrapeUrl, offered: 'https://open.test/' };
  async function asked(use: (input: Input) => unknown) {
    fake.answer = (kind, input) => (kind === 'list' ? use(input as Input) : undefined);
    const { withUrl } = await import('../../../../src/extension/ui/ask-url/ask-url.ts');
    return await withUrl(request, async (url) => url);
  }

  it('offers the URL of the open page, and never reads the clipboard', async () => {
    let shown: Input['items'] = [];
    const url = await asked(({ items }) => {
      shown = items;
      return { accept: items };
    });
    const labels = shown.map(({ label, description }) => [label, description]);
    assert.deepEqual([labels, url, reads], [[['https://open.test/', 'the open page']], 'https://open.test/', 0]);
  });

  it('also offers the URL under the cursor, once if it is that of the open page', async () => {
    const labelsAt = async (line: string) => {
      const document = { lineAt: () => ({ text: line }), getText: () => '' };
      const active = { line: 0, character: 2 };
      window.activeTextEditor = { document, selection: { active, isSingleLine: true } } as never;
      let labels: string[] = [];
      await asked(({ items }) => {
        labels = items.map(({ label }) => label);
        return undefined;
      });
      return labels;
    };
    assert.deepEqual(await labelsAt('https://cursor.test/'), ['https://open.test/', 'https://cursor.test/']);
    assert.deepEqual(await labelsAt('https://open.test/'), ['https://open.test/']);
  });
});

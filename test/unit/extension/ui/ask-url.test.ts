import assert from 'node:assert/strict';
import { commands } from '../../../../src/extension/ui/ids.ts';
import { env, fake } from '../../../harness/fake-vscode.ts';

interface Input {
  items: { label: string; url?: string }[];
  activeItems: unknown[];
}

describe('the input for a URL', () => {
  const { readText } = env.clipboard;
  beforeEach(() => fake.reset());
  afterEach(() => {
    env.clipboard.readText = readText;
  });

  const request = { title: 'Scrape', command: commands.scrapeUrl, offered: 'https://open.test/' };
  async function asked(clipboard: () => Promise<string>, use: (input: Input) => Promise<unknown>) {
    env.clipboard.readText = clipboard;
    fake.answer = async (kind, input) => (kind === 'list' ? await use(input as Input) : undefined);
    const { withUrl } = await import('../../../../src/extension/ui/ask-url/ask-url.ts');
    return await withUrl(request, async (url) => url);
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('opens at once, and offers what is in the clipboard when that is read', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const url = await asked(
      () => promise,
      async (input) => {
        assert.deepEqual(
          input.items.map((item) => item.label),
          ['https://open.test/'],
        );
        input.activeItems = [input.items[0]];
        resolve('https://copied.test/');
        await turn();
        assert.deepEqual(
          input.items.map((item) => item.label),
          ['https://open.test/', 'https://copied.test/'],
        );
        assert.deepEqual(input.activeItems, [input.items[0]]);
        return { accept: [input.items[1]] };
      },
    );
    assert.equal(url, 'https://copied.test/');
  });

  it('is not changed by a clipboard that has no URL, is refused, or is read too late', async () => {
    const accept = async (input: Input) => {
      await turn();
      assert.equal(input.items.length, 1);
      return { accept: input.items };
    };
    const refused = () => Promise.reject(new Error('Not allowed'));
    assert.equal(await asked(async () => 'no URL', accept), 'https://open.test/');
    assert.equal(await asked(refused, accept), 'https://open.test/');
    const { promise, resolve } = Promise.withResolvers<string>();
    let shown: Input | undefined;
    const late = await asked(
      () => promise,
      async (input) => {
        shown = input;
        return await accept(input);
      },
    );
    resolve('https://copied.test/');
    await turn();
    assert.deepEqual([late, shown?.items.length], ['https://open.test/', 1]);
  });
});

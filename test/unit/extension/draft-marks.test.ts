import assert from 'node:assert/strict';
import type { TextDocument } from 'vscode';
import type { CrawlDraft } from '../../../src/extension/crawls/draft/draft.ts';
import type { DraftEstimates } from '../../../src/extension/crawls/draft/draft-estimates.ts';
import type { DraftFiles } from '../../../src/extension/crawls/draft/draft-files.ts';
import { Signal } from '../../../src/extension/ui/lifecycle.ts';
import { fake, Uri } from '../../harness/fake-vscode.ts';

describe('the marks of a draft', () => {
  async function titlesOf(text: string, draft: Omit<CrawlDraft, 'text'>, hasModel = false): Promise<string[]> {
    fake.reset();
    const { DraftMarks } = await import('../../../src/extension/crawls/draft/draft-marks.ts');
    const drafts = { find: () => ({ text, ...draft }) } as unknown as DraftFiles;
    const estimates = { onDidChange: new Signal(), lensesOf: () => [] } as unknown as DraftEstimates;
    const marks = new DraftMarks(drafts, estimates, () => hasModel);
    const uri = Uri.from({ scheme: 'webdata-crawl', path: '/draft' });
    const lenses = marks.provideCodeLenses({ uri, getText: () => text } as unknown as TextDocument);
    marks.dispose();
    return lenses.map(({ command }) => command?.title ?? '');
  }

  it('say what the words still set, that an edit replaced it all, or that they set nothing', async () => {
    const draft = { sentence: 'the blog', fromSentence: { includePaths: ['^/blog(/|$)'] } };
    const says = async (
      text: string,
      given: typeof draft | { sentence: string; fromSentence: object },
      title: string,
    ) =>
      assert.ok((await titlesOf(text, { ...given, fromSentence: { ...given.fromSentence } })).includes(title), title);
    await says('{"includePaths": ["^/blog(/|$)"]}', draft, 'From “the blog”: includePaths');
    await says('{"includePaths": ["^/news"]}', draft, 'You changed everything that “the blog” had set');
    await says('{"limit": 5}', { sentence: 'hello', fromSentence: {} }, '“hello” sets no parameters');
  });

  it('call a language the reason only for a sentence in another one, and else name what is understood', async () => {
    const titles = async (sentence: string, hasModel?: boolean) =>
      (await titlesOf('{}', { sentence, fromSentence: {}, notUnderstood: [sentence] }, hasModel)).join('\n');
    const [language, kinds] = [/only English is understood/, /Understood: parts of the site, limits, depth/];
    const english = await titles('the products in the Garden category with price');
    assert.match(english, kinds);
    assert.doesNotMatch(english, language);
    assert.match(await titles('solo los productos'), language);
    assert.doesNotMatch(await titles('solo los productos', true), language);
    const read = await titlesOf('{}', { sentence: 'solo los productos', fromSentence: {} });
    assert.doesNotMatch(read.join('\n'), language);
  });
});

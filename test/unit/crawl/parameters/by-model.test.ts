import assert from 'node:assert/strict';
import { parametersByModel } from '../../../../src/service/crawl/parameters/by-model.ts';
import type { CompletionRequest, LanguageModel } from '../../../../src/service/language-model/language-model.ts';

describe('crawl parameters by a language model', () => {
  const start = new URL('https://site.test/');
  const { signal } = new AbortController();
  /** A model that gives these answers, one after another. */
  function answering(...answers: string[]): { model: LanguageModel; asked: CompletionRequest[] } {
    const asked: CompletionRequest[] = [];
    const complete = async (request: CompletionRequest) => {
      asked.push(request);
      return {
        text: answers[asked.length - 1] ?? '',
        toolCalls: [],
        usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
      };
    };
    return { model: { name: 'scripted', complete }, asked };
  }

  it("are the model's output, with or without a code fence, and without null values", async () => {
    const { model, asked } = answering(
      '```json\n{"url":"https://x.test","includePaths":["^/a(/|$)"],"limit":5,"delay":null,"notUnderstood":["with screenshots"]}\n```',
    );
    const found = await parametersByModel(model, 'the wish', start, ['https://site.test/a'], signal);
    assert.deepEqual(found, {
      parameters: { includePaths: ['^/a(/|$)'], limit: 5 },
      notUnderstood: ['with screenshots'],
    });
    const said = asked[0]?.messages.map(({ content }) => content).join('\n') ?? '';
    assert.ok(said.includes('the wish') && said.includes('https://site.test/a'));
  });

  it('are requested again with the problem, at most three times', async () => {
    const { model, asked } = answering('sure!', '{"limit":"many","colour":1}', '{"excludePaths":["("]}');
    assert.equal(await parametersByModel(model, 'x', start, [], signal), undefined);
    assert.equal(asked.length, 3);
    assert.match(String(asked[2]?.messages.at(-1)?.content), /limit: expected a whole number/);
    const second = answering('nonsense', '{"limit":7}');
    assert.deepEqual(await parametersByModel(second.model, 'x', start, [], signal), {
      parameters: { limit: 7 },
      notUnderstood: [],
    });
  });
});

import assert from 'node:assert/strict';
import type {
  CompletionRequest,
  LanguageModel,
} from '../../../../src/service/platform/language-model/language-model.ts';
import { parametersByModel } from '../../../../src/service/web/crawl/parameters/by-model.ts';

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
      sources: {},
      notUnderstood: ['with screenshots'],
      guessed: ['includePaths', 'limit'],
      ofItems: [],
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
      sources: {},
      notUnderstood: [],
      guessed: ['limit'],
      ofItems: [],
    });
  });

  it('count as guessed unless the sentence names them, and does not say the opposite', async () => {
    const site = ['https://site.test/blog/one', 'https://site.test/docs/intro'];
    const guessedIn = async (sentence: string, answer: object) => {
      const { model } = answering(JSON.stringify(answer));
      return (await parametersByModel(model, sentence, start, site, signal))?.guessed;
    };
    const blog = { includePaths: ['^/blog(/|$)'] };
    assert.deepEqual(await guessedIn('the blog, fifty pages, 20 seconds apart', { ...blog, limit: 50, delay: 20 }), []);
    assert.deepEqual(await guessedIn('the blog', { ...blog, limit: 50, allowSubdomains: true }), [
      'allowSubdomains',
      'limit',
    ]);
    assert.deepEqual(await guessedIn('never follow links to subdomains', { allowSubdomains: true }), [
      'allowSubdomains',
    ]);
    assert.deepEqual(await guessedIn('as MyBot, please', { robotsUserAgent: 'OtherBot' }), ['robotsUserAgent']);
    assert.deepEqual(await guessedIn('skip the blog', blog), ['includePaths']);
    assert.deepEqual(await guessedIn('zzz anything but the blog', blog), ['includePaths']);
    assert.deepEqual(await guessedIn('the docs', { excludePaths: ['^/docs(/|$)'] }), ['excludePaths']);
    assert.deepEqual(await guessedIn('the docs', { includePaths: ['^/docs/api(/|$)'] }), ['includePaths']);
    assert.deepEqual(await guessedIn('skip the blog', { excludePaths: ['^/blog(/|$)'] }), []);
    const denied = "zzz I don't think that subdomains are any good";
    assert.deepEqual(await guessedIn(denied, { allowSubdomains: true }), ['allowSubdomains']);
    const vague = 'perhaps subdomains could be of some value';
    assert.deepEqual(await guessedIn(vague, { allowSubdomains: false }), ['allowSubdomains']);
    assert.deepEqual(await guessedIn('subdomains, unless zzz', { allowSubdomains: true }), ['allowSubdomains']);
    const odd = await guessedIn('perhaps subdomains could be of some value', { allowSubdomains: true });
    assert.deepEqual(odd, []);
  });
});

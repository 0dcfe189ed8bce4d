import assert from 'node:assert/strict';
import { systemClock } from '../../../src/service/platform/clock.ts';
import { parseJson } from '../../../src/service/platform/language-model/json-answer.ts';
import type { Completion, LanguageModel } from '../../../src/service/platform/language-model/language-model.ts';
import { hunksOf } from '../../../src/service/web/scrape/changes/line-diff.ts';
import { newPageVersion, type PageVersion } from '../../../src/service/web/scrape/changes/page-versions.ts';
import { type ConvertedPage, deriveFormats } from '../../../src/service/web/scrape/derived-formats.ts';
import { answer as answerOf } from '../../../src/service/web/scrape/model-formats/answer.ts';
import { modelExtractor } from '../../../src/service/web/scrape/model-formats/model-formats.ts';
import type { ScrapePlan } from '../../../src/service/web/scrape/scrape-plan.ts';

const { signal } = new AbortController();
const converters = { compare: async (previous: string, current: string) => hunksOf(previous, current) };
const nothing: Pick<ScrapePlan, 'json' | 'summary' | 'questions' | 'changes'> = {
  json: undefined,
  summary: false,
  questions: [],
  changes: undefined,
};
const page: ConvertedPage = {
  team: 'red',
  url: 'https://site.test/',
  markdown: '# Lamp\n\nIt is made of brass. It costs 12 euros.',
  status: 200,
  cachedAt: undefined,
};

/** Derives formats with a model that gives one answer, and with a stored version of the page. */
async function derive(plan: Partial<typeof nothing>, current: Partial<ConvertedPage>, answer = '', last?: PageVersion) {
  const asked: unknown[] = [];
  const model = {
    async complete(request: unknown): Promise<Completion> {
      asked.push(request);
      return { text: answer } as Completion;
    },
  } as unknown as LanguageModel;
  const parts = {
    extractor: modelExtractor({ find: () => model }),
    versions: { find: async () => last },
    converters,
    clock: systemClock,
  };
  const derived = await deriveFormats(parts, { ...nothing, ...plan }, { ...page, ...current }, () => signal);
  return { ...derived, asked: asked.length };
}

describe('the JSON in the answer of a model', () => {
  it('is the whole answer or in a code fence, and may have fences in its texts', () => {
    const value = { text: 'Run:\n```sh\nnpm start\n```' };
    const json = JSON.stringify(value);
    for (const text of [
      json,
      ` ${json}\n`,
      `\`\`\`json\n${json}\n\`\`\``,
      `Here it is:\n\`\`\`\n${json}\n\`\`\`\nDone.`,
    ])
      assert.deepEqual(parseJson(text), value, text);
    assert.deepEqual(parseJson('```\n[1]\n```\nand\n```\n[2]\n```'), [1]);
    assert.equal(parseJson('null'), null);
    for (const text of ['', 'no JSON', '```json\n{\n```']) assert.equal(parseJson(text), undefined, text);
  });
});

describe('quotes of a page', () => {
  const quotes = (answer: string[]) =>
    derive(
      { questions: [{ field: 'highlights', question: { prompt: 'facts', onlyQuotes: true } }] },
      {},
      JSON.stringify(answer),
    );

  it('finds what a model quotes with other white space, and what it does not quote in short time (TRN-06)', async () => {
    const page = 'It is made\n  of\tbrass (b.2).\n\n- It costs 12 euros. ';
    const many = 'a '.repeat(30_000);
    const read = async (quotes: readonly string[], markdown: string) => {
      const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
      const model = { name: 'm', complete: async () => ({ text: JSON.stringify(quotes), toolCalls: [], usage }) };
      return await answerOf(model, markdown, { prompt: 'facts', onlyQuotes: true }, signal);
    };
    const { text } = await read(['made of brass (b.2). -  It costs', 'costs 12\neuros.', 'e'], page);
    assert.equal(text, 'made\n  of\tbrass (b.2).\n\n- It costs\n\ncosts 12 euros.\n\ne');
    for (const words of [`${'a '.repeat(4_000)}b`, `b ${'a '.repeat(4_000)}`]) {
      const quotes = Array.from({ length: 100 }, () => words);
      assert.equal((await read([...quotes, 'a a'], many)).text, 'a a');
    }
  });

  it('are listed once, and only those that are not on the page are counted as left out', async () => {
    const repeated = await quotes(['It is made of brass.', 'It is made of brass.', 'It costs 12 euros.']);
    assert.equal(repeated.fields.highlights, 'It is made of brass.\n\nIt costs 12 euros.');
    assert.equal(repeated.warning, undefined);
    const one = await quotes(['It is made of brass.', 'It is free.']);
    assert.equal(one.warning, "1 of the model's 2 quotes is not on the page and was left out.");
    const two = await quotes(['It is made of brass.', 'It is free.', 'It is free.']);
    assert.equal(two.warning, "2 of the model's 3 quotes are not on the page and were left out.");
  });
});

describe('formats that a language model makes', () => {
  it('are left out, free of charge, for error pages and files that were not converted', async () => {
    const all = {
      json: { type: 'json' as const, prompt: 'x' },
      summary: true,
      questions: [{ field: 'answer' as const, question: { prompt: 'x', onlyQuotes: false } }],
    };
    const busy = await derive(all, { status: 503 });
    assert.deepEqual([busy.asked, busy.usedModel, busy.fields], [0, false, {}]);
    assert.equal(busy.warning, 'The page returned status 503, so no language model read it.');
    const file = await derive(all, { markdown: undefined });
    assert.deepEqual([file.asked, file.usedModel, file.fields], [0, false, {}]);
    assert.equal(file.warning, "The file wasn't converted to text, so no language model read it.");
    const read = await derive({ summary: true }, {}, 'A lamp.');
    assert.deepEqual(
      [read.asked, read.usedModel, read.fields, read.warning],
      [1, true, { summary: 'A lamp.' }, undefined],
    );
    const plain = await derive({}, { status: 404 });
    assert.deepEqual([plain.warning, plain.usedModel], [undefined, false]);
  });
});

describe('the format changeTracking', () => {
  const changes = { type: 'changeTracking' as const, modes: [] };
  const stored = async (markdown: string, scrapedAt: number): Promise<PageVersion> => {
    const { digest } = await newPageVersion({ ...page, tag: undefined }, markdown, scrapedAt);
    return { markdown, scrapedAt, digest };
  };

  it('does not report a cached page that is older than the stored version as a change', async () => {
    const last = await stored('# Newer', 2000);
    const older = await derive({ changes }, { cachedAt: 1000 }, '', last);
    assert.deepEqual([older.fields, older.version], [{}, undefined]);
    assert.match(older.warning ?? '', /^The cached page is older than the last version.* Remove minAge and lockdown/);
    for (const [cachedAt, markdown, status] of [
      [2000, '# Newer', 'same'],
      [3000, '# Newest', 'changed'],
    ] as const) {
      const { fields, version, warning } = await derive({ changes }, { cachedAt, markdown }, '', last);
      assert.deepEqual([fields.changeTracking?.changeStatus, warning], [status, undefined]);
      assert.ok(version && 'scraped_at' in version && version.scraped_at === cachedAt);
    }
  });

  it('does not compare a file that was not converted', async () => {
    for (const last of [undefined, await stored('', 1000)]) {
      const { fields, version, warning } = await derive({ changes }, { markdown: undefined }, '', last);
      assert.deepEqual([fields, version], [{}, undefined]);
      assert.equal(warning, "The file wasn't converted to text, so it wasn't compared with its last version.");
    }
    const empty = await derive({ changes }, { markdown: '' });
    assert.equal(empty.fields.changeTracking?.changeStatus, 'new');
    const gone = await derive({ changes }, { markdown: undefined, status: 404 }, '', await stored('# Page', 1000));
    assert.equal(gone.fields.changeTracking?.changeStatus, 'removed');
  });
});

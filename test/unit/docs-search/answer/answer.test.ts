import assert from 'node:assert/strict';
import { compose } from '../../../../src/service/assistants/docs-search/answer/answer.ts';
import { rank, vocabularyOf } from '../../../../src/service/assistants/docs-search/answer/ranking.ts';
import { addPage } from '../../../../src/service/assistants/docs-search/index/markdown.ts';
import { emptyCorpus } from '../../../../src/service/assistants/docs-search/index/passages.ts';
import { buildIndex, type SearchIndex } from '../../../../src/service/assistants/docs-search/index/search-index.ts';
import { readQuestion } from '../../../../src/service/assistants/docs-search/question/query.ts';
import { wantsOf } from '../../../../src/service/assistants/docs-search/question/wants.ts';

const ovens = `# Ovens

## How do I start an oven?

Start an oven with \`POST /v2/oven\` and its \`heat\`.

| Body field | Type | Required | Default | Meaning |
|---|---|---|---|---|
| \`heat\` | integer | yes | | Degrees of the oven |
| \`lamp\` | boolean | no | \`true\` | Whether the lamp burns |
| \`glowTtl\` | integer | no | 40 | Minutes of baking until the oven ends |
| \`ttl\` | integer | no | 90 | Minutes of any use until the oven ends |

## What does a recipe contain?

| Field | Meaning |
|---|---|
| \`flour\` | Grams of it |
| \`salt\` | Pinches of it |

## How do I stop a baking oven?

Stop a baking oven with \`DELETE /v2/oven\`: its heat is off at once.

## How do I stop an oven?

<!-- asked: quench, extinguish | shutdown procedure -->

Press the red button on the oven's front.
`;

const reference = `# Reference

## POST /v2/oven

| Body field | Type | Required | Default | Meaning |
|---|---|---|---|---|
| \`lamp\` | boolean | no | \`true\` | Whether the oven's lamp burns |

The body of POST /v2/oven takes \`heat\`, \`lamp\`, \`glowTtl\` and \`ttl\`. Required: \`heat\`.
`;

describe('answers', () => {
  let index: SearchIndex;

  before(async () => {
    const corpus = emptyCorpus();
    addPage(corpus, { address: 'ovens.md', anchors: true }, ovens);
    addPage(corpus, { address: 'reference.md', anchors: true }, reference);
    index = await buildIndex(corpus);
  });

  function ask(question: string): string {
    const query = readQuestion(question, vocabularyOf([index]));
    return compose(query, rank(query, [index]))?.answer ?? assert.fail(`"${question}" was declined`);
  }

  it('show a row once if a guide and the reference both have it', () => {
    assert.equal(ask('what is the lamp of the oven').match(/Whether/g)?.length, 1);
  });

  it('give types, and that a field is optional, on request', () => {
    assert.doesNotMatch(ask('what does the lamp field do'), /boolean|required: no/);
    assert.match(ask('what type has the lamp field'), /boolean/);
    assert.match(ask('is the lamp field required'), /required: no/);
  });

  it('give required fields', () => {
    assert.match(ask('mandatory fields of an oven'), /heat/);
  });

  it('list all fields of a table on request, and no unrelated row', () => {
    assert.match(ask('fields of a recipe'), /^Field: `flour`, `salt`$/m);
  });

  it('have the row of each compared name', () => {
    const answer = ask('glowTtl vs ttl');
    assert.match(answer, /Minutes of baking/);
    assert.match(answer, /Minutes of any use/);
  });

  it("use the other names of a section, but don't show them", () => {
    const answer = ask('how to quench it');
    assert.match(answer, /red button/);
    assert.doesNotMatch(answer, /quench|asked/);
  });

  it("aren't influenced by a web page that claims relevance", () => {
    const corpus = emptyCorpus();
    addPage(corpus, { address: 'https://example.com/', anchors: false }, ovens);
    assert.ok(corpus.sections.every(({ asked }) => asked === undefined));
  });

  it('leave out answers to a broader question', () => {
    const answer = ask('How do I stop a baking oven?');
    assert.match(answer, /DELETE/);
    assert.doesNotMatch(answer, /red button/);
  });
});

describe('questions', () => {
  const vocabulary = {
    size: 100,
    count: (term: string) => (['discard', 'session'].includes(term) ? 3 : 0),
    terms: () => ['discard', 'session'],
  };
  const concept = (question: string, words: string) =>
    readQuestion(question, vocabulary).concepts.find((one) => one.words === words);

  it('treat a number as a status, or as an amount', () => {
    for (const status of ['interact 409', 'what does 503 mean', 'http status 429'])
      assert.ok(wantsOf(status).status, status);
    for (const amount of ['limit 500 allowed?', 'can I ask for 500 items', 'a timeout of 400 seconds'])
      assert.ok(!wantsOf(amount).status, amount);
  });

  it('recognize fields by what is asked, and by how names are written', () => {
    for (const [question, name] of [
      ["what's id in a webhook body", 'id'],
      ['type of sitemap', 'sitemap'],
      ['does language matter with a prompt', 'language'],
      ['data meaning', 'data'],
      ['how is scrapeId found', 'scrapeid'],
      ['X-Service-Signature', 'x-service-signature'],
    ] as const)
      assert.ok(wantsOf(question).named.includes(name), `${question}: ${wantsOf(question).named}`);
  });

  it('correct misspelled words, but not names', () => {
    assert.equal(concept('can I diskard it', 'diskard')?.unknown, false);
    assert.equal(concept('is there a Discord chat', 'Discord')?.unknown, true);
  });

  it('ignore contractions, with and without their apostrophe', () => {
    for (const word of ["don't", 'dont', 'whats', 'cant']) assert.equal(concept(`${word} session`, word), undefined);
  });
});

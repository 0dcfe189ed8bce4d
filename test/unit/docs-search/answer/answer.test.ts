import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { answerFrom } from '../../../../src/service/assistants/docs-search/answer/answer.ts';
import { find, sure, sureness } from '../../../../src/service/assistants/docs-search/answer/search.ts';
import { addPage } from '../../../../src/service/assistants/docs-search/index/markdown.ts';
import { ownNames } from '../../../../src/service/assistants/docs-search/index/own-names.ts';
import { emptyCorpus } from '../../../../src/service/assistants/docs-search/index/passages.ts';
import {
  openIndex,
  type SearchIndex,
  storeIndex,
} from '../../../../src/service/assistants/docs-search/index/search-index.ts';

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

## How do I check the seal of an oven?

Compare the seal of the oven with its number.

The same from a program, in Node or Python:

\`\`\`ts
sealIsWhole(oven);
\`\`\`

\`\`\`python
seal_is_whole(oven)
\`\`\`
`;

const reference = `# Reference

## POST /v2/oven

| Body field | Type | Required | Default | Meaning |
|---|---|---|---|---|
| \`lamp\` | boolean | no | \`true\` | Whether the oven's lamp burns |

The body of POST /v2/oven takes \`heat\`, \`lamp\`, \`glowTtl\` and \`ttl\`. Required: \`heat\`.
`;

/** Pages that make the words of the others as rare as they are among many. */
const others = ['Lids', 'Kettles', 'Spoons', 'Tables', 'Knives', 'Chairs'].map(
  (name) => `# ${name}\n\n## How are ${name} made?\n\n${name} are made of wood, and are as hot or cold as the room.\n`,
);

async function indexOf(pages: Record<string, string>, names?: ReadonlyMap<string, string>): Promise<SearchIndex> {
  const corpus = emptyCorpus();
  for (const [address, text] of Object.entries(pages)) addPage(corpus, { address, anchors: true }, text);
  const file = new DatabaseSync(':memory:');
  await storeIndex(file, corpus, names);
  return openIndex(file, names);
}

describe('answers', () => {
  let index: SearchIndex;

  before(async () => {
    const more = Object.fromEntries(others.map((text, at) => [`other-${at}.md`, text]));
    index = await indexOf({ 'ovens.md': ovens, 'reference.md': reference, ...more }, ownNames());
  });

  const answerOf = (question: string, ...sources: SearchIndex[]) =>
    answerFrom(question, find(question, [index, ...sources]));

  function ask(question: string): string {
    return answerOf(question)?.answer ?? assert.fail(`"${question}" was declined`);
  }

  it('show a row once if a guide and the reference both have it', () => {
    assert.equal(ask('what is the lamp of the oven').match(/Whether/g)?.length, 1);
  });

  it('show a row whole: with the type of a field, whether it is required, and its default', () => {
    for (const question of ['what does the lamp field of the oven do', 'what type has the lamp field'])
      assert.match(ask(question), /`lamp`; Type: boolean; Required: no; Default: `true`; Meaning: Whether/, question);
  });

  it('have the code in the language that is named, the first one on request, and what a sentence announces', () => {
    const check = 'How do I check the seal of an oven';
    assert.match(ask(`${check} in Python?`), /```python\nseal_is_whole\(oven\)\n```/);
    for (const language of ['in node?', 'with Node'])
      assert.match(ask(`${check} ${language}`), /```ts\nsealIsWhole\(oven\);\n```/);
    for (const asked of [`Example: ${check}`, `${check} from a program?`]) assert.match(ask(asked), /sealIsWhole/);
    for (const other of ['', ' with its number']) assert.doesNotMatch(ask(`${check}${other}?`), /```/);
  });

  it('give required fields', () => {
    assert.match(ask('mandatory fields to start an oven'), /heat/);
  });

  it('have the rows of a table on request', () => {
    assert.match(ask('fields of a recipe'), /^Field: `flour`; .*\n\nField: `salt`; /);
  });

  it('have the row of each compared name', () => {
    const answer = ask('glowTtl vs ttl, in minutes until the oven ends');
    assert.match(answer, /Minutes of baking/);
    assert.match(answer, /Minutes of any use/);
  });

  it("use the other names of a section, but don't show them", () => {
    const answer = ask('how to quench it');
    assert.match(answer, /red button/);
    assert.doesNotMatch(answer, /quench|asked/);
  });

  it('are rather of a section that is called what is asked than of one that only has its words', async () => {
    const scoreOf = async (question: string, asked: string) => {
      const lids = await indexOf({
        'lids.md': `# Pots\n\n## How do I shut a pot?\n\n<!-- asked: ${asked} -->\n\nPress.`,
      });
      return find(question, [lids]).hits[0]?.score ?? 0;
    };
    for (const question of ['Keep a lid closed', 'a lid: keep it closed!', 'How do I keep lids closed?'])
      assert.ok(
        (await scoreOf(question, 'keep a lid closed')) > (await scoreOf(question, 'keep closed | a lid')) * 1.5,
        question,
      );
  });

  it("aren't influenced by a web page that claims relevance", () => {
    const corpus = emptyCorpus();
    addPage(corpus, { address: 'https://example.com/', anchors: false }, ovens);
    assert.ok(corpus.passages.every(({ asked }) => asked === undefined));
  });

  it('leave out answers to a broader question', () => {
    const answer = ask('How do I stop a baking oven?');
    assert.match(answer, /DELETE/);
    assert.doesNotMatch(answer, /red button/);
  });

  it('are cited first, then passages of other pages that are nearly as good, at most five pages', () => {
    assert.equal(answerOf('How are Lids made of wood?')?.evidence.length, 1);
    const { evidence = [] } = answerOf('What is made of wood, how is it made?') ?? {};
    assert.deepEqual([evidence[0]?.pathOrUrl, evidence.length], ['other-0.md#how-are-lids-made', 5]);
    assert.equal(new Set(evidence.map(({ pathOrUrl }) => pathOrUrl.replace(/#.*/, ''))).size, 5);
    assert.match(evidence[0]?.reason ?? '', /^Paragraph under "How are Lids made\?", line 5$/);
    assert.match(evidence[1]?.reason ?? '', /^Text under "How are \w+ made\?", line 5$/);
  });

  it('are declined when the texts have little of what was asked, however often they have it', () => {
    for (const question of ['How do I stop a merger in court?', 'oven oven oven warranty in Norway', 'zzxqy', '?'])
      assert.equal(answerOf(question), undefined, question);
  });

  it('are surer where one block has what is asked than where the words are scattered', async () => {
    const surenessOf = async (...blocks: string[]) => {
      const text = `# Yard\n\n## What lies about?\n\n${blocks.join('\n\n')}`;
      return sureness(find('rope, ladder and bucket', [await indexOf({ 'yard.md': text })]));
    };
    const together = await surenessOf('A rope with a ladder and a bucket.', 'A red one.', 'An old one.');
    assert.ok(together > (await surenessOf('A rope with a red one.', 'A ladder and an old one.', 'A bucket.')));
  });

  it("are given from a user's folder where a paragraph has what is asked and no heading does", async () => {
    const readme = await indexOf({
      'README.md': `# Boats

## Install

Get the boat from the harbour office. Ask there for a spare paddle, too, and for a map of the lake with its islands.

## Notes

Visitors without a licence may row along the shore. Beyond the second buoy, the rescue team doesn't patrol after sunset.

The night watch has the keys of the shed, in which lanterns, ropes and vests are kept in winter.
`,
    });
    for (const [question, fact] of [
      ['spare paddle', /harbour office/],
      ['rescue team patrol', /second buoy/],
      ['who has the keys of the shed', /night watch/],
    ] as const)
      assert.match(answerOf(question, readme)?.answer ?? 'declined', fact, question);
    for (const question of ['paddle vests', 'harbour insurance', 'licence fee'])
      assert.equal(answerOf(question, readme), undefined, question);
  });

  it('understand misspelled words', () => {
    for (const word of ['kettels', 'kettlles', 'kettls', 'Kettels'])
      assert.ok(sureness(find(`How are ${word} made?`, [index])) >= sure, word);
  });

  it('take a misspelled word for one other word, also where a section has two that are like it', async () => {
    const castle = await indexOf({ 'a.md': '# Farms\n\nThe cattle graze at the castle.\n' });
    const { words, hits } = find('casttle', [castle]);
    assert.ok(['castl', 'cattl'].includes(words[0]?.forms[0] ?? ''), words[0]?.forms[0]);
    assert.equal(hits.length, 1);
  });

  it('know other names of things in the own texts only', async () => {
    const page = '# Hut\n\n## How do I dispose of the hut?\n\nPull the rope at the roof of the hut.\n';
    const own = await indexOf({ 'hut.md': page }, ownNames());
    const theirs = await indexOf({ 'hut.md': page });
    assert.equal(find('terminate', [own]).hits.length, 1);
    assert.equal(find('terminate', [theirs]).hits.length, 0);
  });

  it("come from a user's texts if the product's own say no more", async () => {
    const page = '# Raft\n\n## How do I moor the raft?\n\nTie its rope to a tree.\n';
    const own = await indexOf({ 'own.md': page }, ownNames());
    const theirs = await indexOf({ 'theirs.md': page });
    for (const sources of [
      [own, theirs],
      [theirs, own],
    ])
      assert.equal(find('moor a raft', sources).hits[0]?.page.address, 'theirs.md');
    // They are as sure of their answer beside others.
    const other = await indexOf({ 'other.md': '# Kites\n\nFly the kite in steady wind.\n' });
    const [alone, beside] = [[own], [own, other]].map((sources) => find('moor a raft', sources).hits[0]?.score);
    assert.ok((beside ?? 0) >= (alone ?? 1));
  });

  it('come from the source that has most of the question, however large the others are', async () => {
    const small = await indexOf({
      'https://example.com/teapot': '# Teapot\n\nDescale the teapot with two spoons of citric acid in hot water.\n',
    });
    const { answer, evidence } = answerOf('How do I descale the teapot in hot water?', small) ?? {};
    assert.match(answer ?? '', /citric acid/);
    assert.equal(evidence?.[0]?.pathOrUrl, 'https://example.com/teapot#teapot');
    assert.match(answerOf('How do I start an oven?', small)?.answer ?? '', /POST \/v2\/oven/);
  });
});

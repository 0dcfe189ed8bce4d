import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeEvidence, evidenceTarget } from '../../../src/extension/docs-chat/evidence/evidence.ts';
import { followUps } from '../../../src/extension/docs-chat/evidence/follow-ups.ts';
import { headingLineOf, headingsOf } from '../../../src/extension/docs-chat/evidence/headings.ts';
import { addPage } from '../../../src/service/assistants/docs-search/index/markdown.ts';
import { emptyCorpus } from '../../../src/service/assistants/docs-search/index/passages.ts';
import { bundledDocs, docsFolder } from '../../harness/bundled-docs.ts';

describe('headings of a text', () => {
  it('have the anchors that the service uses', async () => {
    for (const name of (await readdir(docsFolder)).filter((file) => file.endsWith('.md'))) {
      const markdown = await readFile(join(docsFolder, name), 'utf8');
      const corpus = emptyCorpus();
      addPage(corpus, { address: name, anchors: true }, markdown);
      const known = new Set(headingsOf(markdown).map(({ anchor }) => anchor));
      const missing = corpus.passages.map(({ anchor }) => anchor).filter((anchor) => anchor && !known.has(anchor));
      assert.deepEqual(missing, [], name);
    }
  });

  it('have the same anchors as in the service, also if one looks like a repeated one', () => {
    const markdown = '# One\n\n# One\n\n# One-1\n';
    assert.deepEqual(
      headingsOf(markdown).map(({ anchor }) => anchor),
      ['one', 'one-1', 'one-1-1'],
    );
  });

  it("aren't lines of code, and are distinguished if they are the same", () => {
    const headings = headingsOf(
      '# A `b` [c](d.md)\n```sh\n# no\n```\n## Twice\n## Twice ##\n~~~\n# no\n```\n# no\n~~~\n### Last?\n',
    );
    assert.deepEqual(headings, [
      { text: 'A b c', anchor: 'a-b-c', line: 0 },
      { text: 'Twice', anchor: 'twice', line: 4 },
      { text: 'Twice', anchor: 'twice-1', line: 5 },
      { text: 'Last?', anchor: 'last', line: 11 },
    ]);
  });
});

describe('evidence', () => {
  const names = new Set(['limits.md']);

  it('links to our own texts by their names only, and to web pages', () => {
    assert.deepEqual(evidenceTarget('limits.md#ttl', false, names), {
      kind: 'bundled',
      file: 'limits.md',
      anchor: 'ttl',
    });
    assert.deepEqual(evidenceTarget('https://a.test/b#c', false, names), { kind: 'web', url: 'https://a.test/b#c' });
  });

  it('links to a file only if the embedded service says so', () => {
    const url = 'file:///home/me/notes/a.md#b';
    assert.deepEqual(evidenceTarget(url, true, names), { kind: 'file', url });
    assert.deepEqual(evidenceTarget(url, false, names), { kind: 'none' });
  });

  it('links to nothing else', () => {
    for (const address of [
      'command:workbench.action.quit',
      'vscode://a/b',
      'javascript:alert(1)',
      'data:text/html,x',
      'other.md#a',
      '../limits.md',
      'a/limits.md',
      '/etc/limits.md',
      'limits.md#a b',
      'https://me:secret@a.test/',
      'file://host/share/a.md',
      '',
      `https://a.test/${'x'.repeat(9_000)}`,
    ])
      assert.deepEqual(evidenceTarget(address, true, names), { kind: 'none' }, address);
  });

  it('is labeled with its heading', async () => {
    const [reason, anchor] = ['Paragraph under "How long may a question be?", line 16', 'how-long-may-a-question-be'];
    assert.deepEqual(await describeEvidence({ pathOrUrl: `docs-search.md#${anchor}`, reason }, false, bundledDocs), {
      pathOrUrl: `docs-search.md#${anchor}`,
      name: 'How long may a question be?',
      place: 'docs-search.md',
      reason: 'Paragraph, line 16',
      opens: true,
    });
    const file = await describeEvidence({ pathOrUrl: 'file:///n/my%20notes.md#b-c' }, true, bundledDocs);
    assert.deepEqual([file.name, file.place, file.opens], ['my notes.md#b-c', 'folder source', true]);
    const broken = await describeEvidence({ pathOrUrl: 'file:///n/%E0%A4%A.md' }, true, bundledDocs);
    assert.equal(broken.name, '%E0%A4%A.md');
    const none = await describeEvidence(
      { pathOrUrl: 'webhooks/security.mdx#L1', reason: 'x\u202ey' },
      false,
      bundledDocs,
    );
    assert.deepEqual([none.name, none.opens, none.reason], ['webhooks/security.mdx#L1', false, 'x y']);
  });
});

describe('suggested questions', () => {
  const at = (anchor: string) => ({ pathOrUrl: `docs-search.md#${anchor}`, name: anchor, opens: true });

  it("are close to the evidence, and weren't asked yet", async () => {
    const found = await followUps([at('how-long-may-a-question-be')], [], bundledDocs);
    assert.deepEqual(found, ['What does docs search return?', 'What is evidence?']);
    const next = await followUps([at('how-long-may-a-question-be')], ['what is evidence'], bundledDocs);
    assert.equal(next.includes('What is evidence?'), false);
    assert.equal(next.length, 2);
  });

  it('are at most three, and none for other texts', async () => {
    const several = [
      at('how-long-may-a-question-be'),
      at('what-is-evidence'),
      at('can-text-from-other-sources-do-harm'),
    ];
    const found = await followUps(several, [], bundledDocs);
    assert.equal(found.length, 3);
    assert.equal(new Set(found).size, 3);
    const foreign = { pathOrUrl: 'https://a.test/', name: 'a', opens: true };
    assert.deepEqual(await followUps([foreign, { ...foreign, pathOrUrl: 'nothing.md#x' }], [], bundledDocs), []);
  });
});

describe('a heading of reStructuredText', () => {
  it('is found by its anchor, and so is what a directive describes', () => {
    const text =
      'Pots\n====\n\n.. py:function:: brew(water)\n\n   Tea.\n\nThe :class:`~tea.Pot` class\n---------------\n\n.. method:: pour()\n\n.. method:: pour()\n';
    const anchors = ['pots', 'brewwater', 'the-pot-class', 'pour', 'pour-1', 'lids', ''];
    assert.deepEqual(
      anchors.map((anchor) => headingLineOf(text, anchor)),
      [0, 3, 7, 10, 12, 0, 0],
    );
  });
});

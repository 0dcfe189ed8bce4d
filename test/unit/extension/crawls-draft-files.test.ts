import assert from 'node:assert/strict';
import { fake, TabInputText, type Uri } from '../../harness/fake-vscode.ts';

const { DraftFiles } = await import('../../../src/extension/crawls/draft/draft-files.ts');

describe('crawl drafts', () => {
  it('are there after a reload for every open editor, and the newest ones', () => {
    fake.reset();
    const kept = new Map<string, unknown>();
    const state = {
      get: (key: string) => kept.get(key),
      update: async (key: string, value: unknown) => kept.set(key, value),
    };
    const open = () => new DraftFiles(state as never);
    const before = open();
    const create = (name: string) =>
      before.create(name, { text: '{}', sentence: undefined, fromSentence: {} } as never);
    const first = create('first');
    const second = create('second');
    fake.groups.push({ isActive: true, viewColumn: 1, tabs: [{ input: new TabInputText(first as never as Uri) }] });
    for (let count = 0; count < 30; count++) create(`site ${count}`);
    before.dispose();
    const after = open();
    assert.equal(Buffer.from(after.readFile(first)).toString(), '{}');
    assert.throws(() => after.readFile(second), /second/);
    assert.equal(after.readDirectory().length, 21);
    after.dispose();
  });

  it('take the place of closed ones of the same site', () => {
    fake.reset();
    const drafts = new DraftFiles({ get: () => undefined, update: async () => undefined } as never);
    const create = () => drafts.create('site', { text: '{}', sentence: undefined, fromSentence: {} } as never).path;
    assert.deepEqual([create(), create()], ['/site.crawl.json', '/site.crawl.json']);
    const open = { scheme: 'webdata-crawl', path: '/site.crawl.json' };
    fake.groups.push({ isActive: true, viewColumn: 1, tabs: [{ input: new TabInputText(open as never as Uri) }] });
    assert.deepEqual([create(), create()], ['/site-2.crawl.json', '/site-2.crawl.json']);
    drafts.dispose();
  });
});

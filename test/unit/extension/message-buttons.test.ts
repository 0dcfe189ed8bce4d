import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { LogOutputChannel, Memento } from 'vscode';
import type { Connection } from '../../../src/extension/connection/connection.ts';
import { commands, views } from '../../../src/extension/ui/ids.ts';
import { Signal } from '../../../src/extension/ui/lifecycle.ts';
import { eventually } from '../../harness/eventually.ts';
import { CancellationError, fake, Uri } from '../../harness/fake-vscode.ts';
import { temporaryFolder } from '../../harness/folders.ts';

describe('a button of a message that cannot do its work', () => {
  const logged: string[] = [];
  const log = { error: (text: string) => logged.push(text) } as unknown as LogOutputChannel;
  beforeEach(() => {
    fake.reset();
    logged.length = 0;
  });
  /** Chooses the button of the message with a text. */
  const choose = (words: string) => {
    fake.answer = (kind, text, ...buttons) =>
      kind === 'message' && String(text).includes(words) ? buttons.at(-1) : undefined;
  };
  const isSaid = async (problem: string) =>
    await eventually(() => {
      assert.ok(fake.messages.includes(`Web Data: ${problem}`), fake.messages.join('\n'));
      assert.match(logged.join(), new RegExp(problem));
    });

  it('says why, and is no failure if it was canceled (EXT-20)', async () => {
    const { inBackground } = await import('../../../src/extension/ui/commands.ts');
    inBackground('Open', Promise.reject(new CancellationError()), log);
    inBackground('Open', Promise.reject(new Error('It is gone.')), log);
    await isSaid('It is gone.');
    assert.deepEqual([fake.messages.length, logged], [1, ['Open: It is gone.']]);
  });

  it('such as opening what was saved from a live view', async () => {
    const { saveFile } = await import('../../../src/extension/live-view/save-files.ts');
    const folder = temporaryFolder();
    fake.answer = (kind, text, button) => {
      if (kind === 'save') return Uri.file(join(folder, 'live.png'));
      return kind === 'message' && text === 'Saved.' ? button : undefined;
    };
    fake.result = (id) => (id === 'vscode.open' ? Promise.reject(new Error('The file was moved.')) : undefined);
    const texts = { title: '', filter: 'PNG', saved: 'Saved.' };
    await saveFile(new ArrayBuffer(1), { name: 'live', extension: 'png', texts }, log);
    await isSaid('The file was moved.');
    rmSync(folder, { recursive: true });
  });

  const mapping = async (mapSite: (request: { body: { url: string } }) => Promise<object>) => {
    const { registerPageCommands } = await import('../../../src/extension/crawls/page-commands.ts');
    return registerPageCommands({
      connection: { access: async () => ({ client: { mapSite }, embedded: {} }) } as unknown as Connection,
      documents: {} as never,
      session: () => undefined,
      state: { get: () => undefined, keys: () => [] } as unknown as Memento,
      log,
    });
  };

  it('such as finding more pages of a map', async () => {
    let maps = 0;
    const registered = await mapping(async () => {
      if (++maps > 1) throw new Error('The site is away.');
      return { links: [{ url: 'https://a.test/' }], warning: 'Some lists were not read.', stopped: 'limit' };
    });
    choose('Some lists');
    await fake.run(commands.mapSite, 'https://a.test/');
    await isSaid('The site is away.');
    registered.dispose();
  });

  it('such as mapping the folder that a map advises to start at, and nothing if it is dismissed', async () => {
    const mapped: string[] = [];
    const registered = await mapping(async ({ body: { url } }) => {
      mapped.push(url);
      if (mapped.length > 2) throw new Error('The folder is away.');
      return { links: [{ url }], warning: 'Only the start page was found.', startInstead: 'https://a.test/docs/' };
    });
    fake.answer = () => undefined;
    await fake.run(commands.mapSite, 'https://a.test/docs/one');
    fake.answer = (kind, _text, button) => (kind === 'message' && button === 'Map a.test/docs/' ? button : undefined);
    await fake.run(commands.mapSite, 'https://a.test/docs/one');
    await isSaid('The folder is away.');
    assert.deepEqual(mapped, ['https://a.test/docs/one', 'https://a.test/docs/one', 'https://a.test/docs/']);
    registered.dispose();
  });

  it('such as opening a crawl that has ended', async () => {
    const { registerCrawlCommands } = await import('../../../src/extension/crawls/crawl-commands.ts');
    const onEnded = new Signal<unknown>();
    const registered = registerCrawlCommands({
      crawls: { store: { onEnded } },
      endings: { tell: async (view: string) => (view === views.activeCrawls ? 'open' : undefined) },
      reveal: async () => Promise.reject(new Error('The view is hidden.')),
      log,
    } as never);
    const crawl = { id: 'c', shortId: 'c', url: 'https://a.test/', own: true, status: 'completed', completed: 2 };
    onEnded.fire({ ...crawl, total: 2, leftOut: [], errors: {}, warning: undefined });
    await isSaid('The view is hidden.');
    registered.dispose();
  });
});

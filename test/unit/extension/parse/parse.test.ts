import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Disposable, LogOutputChannel } from 'vscode';
import type { Connection } from '../../../../src/extension/connection/connection.ts';
import { commands } from '../../../../src/extension/ui/ids.ts';
import type { VirtualDocuments } from '../../../../src/extension/ui/virtual-documents/virtual-documents.ts';
import { fake, Uri } from '../../../harness/fake-vscode.ts';
import { temporaryFolder } from '../../../harness/folders.ts';

type Sent = { file: { name: string; content: Uint8Array } };

describe('Parse to Markdown', () => {
  let folder: string;
  let command: Disposable;
  let sent: string[];
  let held: { name: string; text: string }[];
  let document: (name: string) => object;

  beforeEach(async () => {
    fake.reset();
    folder = temporaryFolder();
    sent = [];
    held = [];
    document = (name) => ({ markdown: `# ${name}`, metadata: { scrapeId: `id of ${name}` } });
    const client = {
      async parseFile({ file }: Sent) {
        sent.push(`${file.name}: ${Buffer.from(file.content)}`);
        return { data: document(file.name) };
      },
    };
    const hold = (name: string, text: string) => {
      held.push({ name, text });
      return Uri.file(`/${name}`);
    };
    const { registerParse } = await import('../../../../src/extension/parse/parse.ts');
    command = registerParse({
      connection: { access: async () => ({ client }) } as unknown as Connection,
      documents: { hold } as unknown as VirtualDocuments,
      log: { error: () => undefined, warn: () => undefined } as unknown as LogOutputChannel,
    });
  });
  afterEach(() => {
    command.dispose();
    rmSync(folder, { recursive: true });
  });

  const write = (name: string, text = 'x') => {
    writeFileSync(join(folder, name), text);
    return Uri.file(join(folder, name));
  };
  const parse = (...files: Uri[]) => fake.run(commands.parseFiles, files[0], files);

  it('opens the Markdown of a file in a preview beside it', async () => {
    await parse(write('notes.docx', 'content'));
    assert.deepEqual(sent, ['notes.docx: content']);
    assert.deepEqual(fake.ran, [
      { id: commands.openPage, args: [{ scrapeId: 'id of notes.docx', url: 'notes.docx', beside: true }] },
    ]);
  });

  it('shows what is missing, and Markdown that the server does not keep', async () => {
    document = () => ({ markdown: 'text', warning: 'Page 2 has no text.' });
    await parse(write('a.pdf'));
    assert.deepEqual(held, [{ name: 'parsed/a.pdf.md', text: 'text' }]);
    assert.equal(fake.ran[0]?.id, 'markdown.showPreviewToSide');
    assert.deepEqual(fake.messages, ['$(warning) Page 2 has no text.']);
  });

  it('lists several files with those that failed, and opens the chosen one', async () => {
    document = (name) => {
      if (name === 'bad.pdf') throw new Error('The PDF needs a password.');
      return { markdown: name, metadata: { scrapeId: name } };
    };
    let shown: { label: string; detail?: string }[] = [];
    fake.answer = (_kind, items, options) => {
      shown = items as typeof shown;
      assert.equal((options as { title: string }).title, '3 of 4 files parsed');
      return shown[2];
    };
    await parse(write('a.pdf'), write('bad.pdf'), write('c.pdf'), write('d.pdf'));
    assert.deepEqual(
      shown.map(({ label, detail }) => [label, detail]),
      [
        ['$(markdown) a.pdf', undefined],
        ['$(error) bad.pdf', 'The PDF needs a password.'],
        ['$(markdown) c.pdf', undefined],
        ['$(markdown) d.pdf', undefined],
        ['$(save-all) Save All as Markdown…', undefined],
      ],
    );
    assert.deepEqual(fake.ran[0]?.args, [{ scrapeId: 'c.pdf', url: 'c.pdf', beside: true }]);
  });

  it('saves all files without overwriting any', async () => {
    const target = join(folder, 'out');
    mkdirSync(target);
    writeFileSync(join(target, 'a.pdf.md'), 'mine');
    fake.answer = (kind, items) => (kind === 'open' ? [Uri.file(target)] : (items as unknown[]).at(-1));
    await parse(write('a.pdf'), write('b.pdf'));
    assert.deepEqual(readdirSync(target).sort(), ['a.pdf-2.md', 'a.pdf.md', 'b.pdf.md']);
    assert.equal(readFileSync(join(target, 'a.pdf.md'), 'utf8'), 'mine');
    assert.equal(readFileSync(join(target, 'a.pdf-2.md'), 'utf8'), '# a.pdf');
  });

  it('asks for files when none is given, and reports why a file cannot be parsed', async () => {
    document = () => {
      throw new Error('The document needs a password.');
    };
    const file = write('a.docx');
    fake.answer = (kind) => (kind === 'open' ? [file] : undefined);
    await fake.run(commands.parseFiles);
    assert.deepEqual(fake.messages, ['Web Data: The document needs a password.']);
    fake.answer = () => undefined;
    await fake.run(commands.parseFiles);
    assert.equal(sent.length, 1);
  });

  it('does not send files above the limit', async () => {
    const file = write('big.pdf');
    (await import('node:fs')).truncateSync(file.fsPath, 50 * 1024 * 1024 + 1);
    await parse(file);
    assert.deepEqual(sent, []);
    assert.match(fake.messages.join(), /too large: the limit is 50 MiB/);
  });
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FromViewer } from '../../../src/contract/sessions/live-view.ts';
import { eventually } from '../../harness/eventually.ts';
import { fake, Uri } from '../../harness/fake-vscode.ts';

const { answerFiles, fileFilters, mediaTypeOf } = await import('../../../src/extension/live-view/choose-files.ts');

describe('the files that are chosen for a page', () => {
  it('are offered by what the page accepts, and all files too', () => {
    assert.equal(fileFilters(''), undefined);
    assert.equal(fileFilters('application/x-unknown'), undefined);
    const [[, first] = [], [, all] = []] = Object.entries(fileFilters('.PDF, image/png,text/*') ?? {});
    assert.deepEqual(first, ['pdf', 'png', 'csv', 'html', 'txt', 'xml']);
    assert.deepEqual(all, ['*']);
    assert.deepEqual([mediaTypeOf('A.PNG'), mediaTypeOf('constructor'), mediaTypeOf('a.xyz')], ['image/png', '', '']);
  });

  it('are read when the service asks for them, and a change meanwhile is said', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'webdata-choose-'));
    const path = join(folder, 'letter.txt');
    writeFileSync(path, 'Dear fox');
    fake.reset();
    fake.answer = (kind) => (kind === 'open' ? [Uri.file(path)] : undefined);
    const [sent, bytes, notices]: [FromViewer[], string[], string[]] = [[], [], []];
    const answer = answerFiles({
      send: (message) => sent.push(message),
      sendBytes: async (piece) => void bytes.push(Buffer.from(piece).toString()),
      showNotice: (text) => notices.push(text),
    });
    const choose = () => answer({ type: 'chooser', chooser: { id: 'one', multiple: false, accept: '' } });
    const files = [{ name: 'letter.txt', mediaType: 'text/plain', size: 8 }];
    assert.ok(choose());
    await eventually(() => assert.deepEqual(sent, [{ type: 'files', chooser: 'one', files }]));
    for (const [start, end] of [
      [0, 5],
      [5, 8],
    ] as const)
      answer({ type: 'send-file', file: 0, start, end });
    await eventually(() => assert.deepEqual(bytes, ['Dear ', 'fox']));
    choose();
    await eventually(() => assert.equal(sent.length, 2));
    writeFileSync(path, 'Dear');
    answer({ type: 'send-file', file: 0, start: 0, end: 8 });
    await eventually(() => assert.deepEqual(notices, ["The file couldn't be read: it has changed in the meantime."]));
    fake.answer = () => undefined;
    choose();
    await eventually(() => assert.deepEqual(sent.at(-1), { type: 'files', chooser: 'one', files: [] }));
    assert.ok(!answer({ type: 'notice', text: '' }));
    rmSync(folder, { recursive: true });
  });

  it('are sent one piece after another, none of more than a service asks for (EXT-31)', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'webdata-choose-'));
    const path = join(folder, 'large.txt');
    writeFileSync(path, 'x'.repeat(100_000));
    fake.reset();
    fake.answer = (kind) => (kind === 'open' ? [Uri.file(path)] : undefined);
    const sent: number[] = [];
    const first = Promise.withResolvers<void>();
    let chosen = false;
    const answer = answerFiles({
      send: () => {
        chosen = true;
      },
      sendBytes: (piece) => {
        sent.push(piece.byteLength);
        return first.promise;
      },
      showNotice: () => undefined,
    });
    answer({ type: 'chooser', chooser: { id: 'one', multiple: false, accept: '' } });
    await eventually(() => assert.ok(chosen));
    answer({ type: 'send-file', file: 0, start: 0, end: 100_000 });
    for (let count = 1; count <= 10_000; count++) answer({ type: 'send-file', file: 0, start: 0, end: 1 });
    await eventually(() => assert.deepEqual(sent, [1]));
    first.resolve();
    await eventually(() => assert.equal(sent.length, 2_184));
    rmSync(folder, { recursive: true });
  });
});

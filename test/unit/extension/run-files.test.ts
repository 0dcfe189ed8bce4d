import assert from 'node:assert/strict';
import { RunFilesStore } from '../../../src/extension/types/run-files-store.ts';
import { serverFileName } from '../../../src/extension/types/server-file-name.ts';

function memory(initial?: unknown) {
  const values = new Map([['webdata.types.runFiles', initial]]);
  return {
    values,
    get: <Value>(key: string, otherwise: Value) => (values.get(key) as Value | undefined) ?? otherwise,
    update: async (key: string, value: unknown) => {
      values.set(key, value);
    },
  };
}

describe('files that were run', () => {
  it('are remembered across reloads, each once', () => {
    const state = memory();
    const files = new RunFilesStore(state);
    let changes = 0;
    files.onChange.on(() => changes++);
    files.add('file:///a.ts');
    files.add('file:///b.ts');
    files.add('file:///a.ts');
    assert.deepEqual([files.files, changes], [['file:///b.ts', 'file:///a.ts'], 2]);
    assert.deepEqual(new RunFilesStore(state).files, files.files);
    files.remove('file:///b.ts');
    files.remove('file:///missing.ts');
    assert.deepEqual([new RunFilesStore(state).files, changes], [['file:///a.ts'], 3]);
  });

  it('are limited in number, and invalid entries are ignored', () => {
    const files = new RunFilesStore(memory());
    for (let index = 0; index < 600; index++) files.add(`file:///${index}.ts`);
    assert.equal(files.files.length, 500);
    assert.ok(files.has('file:///599.ts') && !files.has('file:///0.ts'));
    assert.deepEqual(new RunFilesStore(memory('text')).files, []);
    assert.deepEqual(new RunFilesStore(memory([1, 'file:///a.ts'])).files, ['file:///a.ts']);
  });

  it('have the names that the TypeScript server uses', () => {
    const file = { scheme: 'file', authority: '', path: '/project/a.ts', fsPath: '/project/a.ts' };
    assert.equal(serverFileName(file), '/project/a.ts');
    const untitled = { scheme: 'untitled', authority: '', path: 'Untitled-1', fsPath: 'Untitled-1' };
    assert.equal(serverFileName(untitled), '^/untitled/ts-nul-authority/Untitled-1');
  });
});

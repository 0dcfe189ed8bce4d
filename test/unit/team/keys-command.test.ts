import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { keysCommand } from '../../../src/service/keys-command.ts';
import { temporaryFolder } from '../../harness/folders.ts';

describe('the command for keys', () => {
  const printed: string[] = [];
  const output = { out: (line: string) => printed.push(line), note: (line: string) => printed.push(line) };
  const keys = (...command: string[]) => keysCommand(command, {}, output, 0);

  for (const [command, pattern] of [
    [['create'], /Set either --team, .* or --metrics/],
    [['create', '--team', 'a', '--metrics'], /Set either --team/],
    [['create', '--team', ''], /--team must be 1 to 60 characters on one line/],
    [['create', '--team', 'a\nb'], /--team must be 1 to 60 characters on one line/],
    [['create', '--team', 'a', '--name', 'x'.repeat(61)], /--name must be 1 to 60 characters/],
    [['list', '--team', 'a'], /for "keys create" only/],
    [['revoke'], /Expected "keys create", "keys list" or "keys revoke ID"/],
    [['forget'], /Expected "keys create", "keys list" or "keys revoke ID"/],
  ] as const) {
    it(`refuses ${JSON.stringify(command.join(' ').slice(0, 40))}`, async () => {
      await assert.rejects(keys(...command), pattern);
    });
  }

  it('leaves a database of another version alone', async () => {
    const dataDir = temporaryFolder();
    await keys('list', '--data-dir', dataDir);
    const file = new DatabaseSync(join(dataDir, 'service.sqlite'));
    file.exec('PRAGMA user_version = 9999');
    await assert.rejects(keys('create', '--team', 'a', '--data-dir', dataDir), /schema of another version \(9999;/);
    assert.deepEqual(file.prepare('SELECT id FROM access_key').all(), []);
    file.close();
    rmSync(dataDir, { recursive: true });
  });

  it('lists names that came over the API without what a terminal obeys', async () => {
    const dataDir = temporaryFolder();
    await keys('create', '--team', 'a', '--data-dir', dataDir);
    const file = new DatabaseSync(join(dataDir, 'service.sqlite'));
    file.prepare('UPDATE access_key SET name = ?').run('\x9b31mred\x1b]0;title\x07\u202e\nforged\trow');
    file.close();
    printed.length = 0;
    await keys('list', '--data-dir', dataDir);
    assert.equal(printed.length, 2);
    assert.equal(printed[1]?.split('\t')[3], '31mred]0;title forged row');
    rmSync(dataDir, { recursive: true });
  });

  it('prints how it is used', async () => {
    await keys('--help');
    assert.match(printed.at(-1) ?? '', /^Usage: web-data-service keys create --team TEAM/);
  });
});

import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeReport } from '../../../scripts/lib/run-report.mjs';

describe('the report of a program', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'webdata-report-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is shown from its start, and then as it grows, until its end', async () => {
    const report = makeReport(join(folder, 'report.txt'));
    report.print('before');
    let shown = '';
    let seen = () => {};
    const first = new Promise<void>((resolve) => {
      seen = resolve;
    });
    const followed = report.follow((text) => {
      shown += text.toString();
      seen();
    });
    await first;
    assert.equal(shown, 'before\n');
    appendFileSync(report.file, 'x'.repeat(200_000));
    report.end();
    await followed;
    assert.equal(shown, `before\n${'x'.repeat(200_000)}`);
  });

  it('can be shown after its end', async () => {
    const report = makeReport(join(folder, 'report.txt'));
    report.print('all');
    report.end();
    let shown = '';
    await report.follow((text) => {
      shown += text.toString();
    });
    assert.equal(shown, 'all\n');
  });
});

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hostMarker } from '../../src/service/sessions/host.ts';
import { findStrays } from '../../src/service/system/stray-processes.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { call, type ServiceProcess, spawnService } from '../harness/service.ts';

const cycles = Number(process.env.WEBDATA_SOAK_CYCLES ?? 200);

/** Megabytes that a process holds in memory. */
function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** What a process has open, but for what Node opens and closes as it likes. */
function openFiles(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).replace(/\d+/g, 'N');
    } catch {
      return 'closed';
    }
  });
}

describe(`${cycles} sessions in a row`, function () {
  this.timeout(30 * 60_000);
  let folder: string;
  let service: ServiceProcess;
  before(async () => {
    folder = temporaryFolder();
    service = await spawnService(['--data-dir', folder, '--spare-browsers', '0'], { NODE_OPTIONS: '--expose-gc' });
  });
  after(async () => {
    service.child.kill('SIGTERM');
    await service.exited;
    rmSync(folder, { recursive: true, force: true });
  });

  async function cycle(): Promise<void> {
    const ask = <Body>(method: string, path: string, body?: object) =>
      call<Body>(service.line.baseUrl, service.line.apiKey ?? '', method, path, body);
    const { id } = (await ask<{ id: string }>('POST', '/v2/browser', {})).body;
    const { result } = (
      await ask<{ result: string }>('POST', `/v2/browser/${id}/execute`, {
        code: 'await page.setContent("<p>x</p>"); 6 * 7',
      })
    ).body;
    assert.equal(result, '42');
    assert.equal((await ask('DELETE', `/v2/browser/${id}`)).status, 200);
  }

  it('leave processes, files, folders and memory as they were', async () => {
    const pid = service.child.pid ?? 0;
    // The first cycles fill caches and compile code.
    for (let warmUp = 0; warmUp < Math.ceil(cycles / 4); warmUp++) await cycle();
    const before = { memory: residentMegabytes(pid), files: openFiles(pid).length };
    for (let done = 0; done < cycles; done++) await cycle();
    const after = { memory: residentMegabytes(pid), files: openFiles(pid).length };
    console.log(
      `      memory ${before.memory.toFixed(0)} -> ${after.memory.toFixed(0)} MB, open files ${before.files} -> ${after.files}`,
    );
    assert.deepEqual(await findStrays(hostMarker, folder), []);
    assert.deepEqual(readdirSync(join(folder, 'browsers')), []);
    assert.deepEqual(readdirSync(join(folder, 'downloads')), []);
    assert.ok(after.files <= before.files + 2, `${before.files} -> ${after.files}`);
    assert.ok(after.memory <= before.memory * 1.05 + 2, `${before.memory} -> ${after.memory}`);
  });
});

import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { eventually } from './eventually.ts';
import { isWhole } from './sample.ts';
import { type ServiceProcess, spawnService } from './service.ts';

/** What one caller may keep the main thread busy for, in milliseconds, on a machine that does the fixed work in `quickMs`. */
const longestTurnMs = 50;
const quickMs = 50;

/** A test fails only for turns that are many times as long: the time of a processor that others use, too, says little. `npm run faults` allows none. */
const leeway = isWhole ? 1 : 10;

/** Starts a service whose turns `measureTurns` measures. */
export function spawnMeasured(dataDir: string): Promise<ServiceProcess> {
  const preload = fileURLToPath(new URL('turn-lengths.cjs', import.meta.url));
  return spawnService(['--data-dir', dataDir, '--spare-browsers', '0'], { NODE_OPTIONS: `--require=${preload}` });
}

/** Returns the longest turn since the last call, and the longest that is allowed on this machine, in milliseconds. */
export async function measureTurns(service: ServiceProcess): Promise<{ turn: number; bound: number }> {
  const before = service.stderr().length;
  service.child.kill('SIGUSR2');
  let line: string | undefined;
  await eventually(() => {
    line = service
      .stderr()
      .slice(before)
      .split('\n')
      .find((text) => text.startsWith('{"turn"') && text.endsWith('}'));
    assert.ok(line);
  });
  const { turn, work } = JSON.parse(line ?? '') as { turn: number; work: number };
  return { turn, bound: leeway * longestTurnMs * Math.max(1, work / quickMs) };
}

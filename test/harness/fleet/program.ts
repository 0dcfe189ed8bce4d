// A service of a fleet, with the timings and the clock that a test wants. Prints its address when it listens.

import { parseOptions } from '../../../src/service/options.ts';
import { systemClock } from '../../../src/service/platform/clock.ts';
import type { FleetTimings } from '../../../src/service/platform/fleet/fleet.ts';
import { createLog } from '../../../src/service/platform/log.ts';
import { startService } from '../../../src/service/service.ts';
import { patience } from '../eventually.ts';

const { timings, clockOffset, args } = JSON.parse(process.argv[2] ?? '') as {
  timings: FleetTimings;
  clockOffset: number;
  args: string[];
};
const stop = async (reason: string) => {
  setTimeout(() => process.exit(1), patience).unref();
  await service.close(reason);
  process.exit(0);
};
const service = await startService(parseOptions(args, process.env), {
  clock: { ...systemClock, now: () => systemClock.now() + clockOffset },
  log: createLog(process.env.WEBDATA_LOG_LEVEL ?? 'warn'),
  onDone: (reason) => void stop(reason),
  fleetTimings: timings,
});
process.on('SIGTERM', () => void stop('SIGTERM'));
console.log(JSON.stringify({ baseUrl: service.baseUrl }));

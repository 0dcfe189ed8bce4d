import type { Context } from 'mocha';

/** URL of the fleet that workbenches connect to, if the suite runs on one. */
export const fleetVariable = 'WEBDATA_TEST_FLEET';

/** How many workbenches can connect to a fleet. */
const workbenches = 200;
const keyOf = (number: number) => `key-of-workbench-0123456789-${number}`;

/** The keys of a fleet for workbenches, as the environment of its nodes: each workbench is a team of its own. */
export const fleetKeys = Array.from({ length: workbenches }, (_, number) => `${keyOf(number)}:team-${number}`).join(
  ',',
);

/** What the nodes of a fleet for workbenches sign webhooks with. */
export const fleetWebhookSecret = 'webhook-secret-of-the-fleet-'.padEnd(43, '0');

/** A fleet as a workbench connects to it. */
export interface WorkbenchFleet {
  url: string;
  apiKey: string;
}

/** Skips a test, or a suite before it starts, if workbenches connect to a fleet. */
export function skipOnFleet(context: Context, why: string): void {
  if (!onFleet()) return;
  console.log(`    skipped on a fleet: ${why}`);
  context.skip();
}

/** Whether workbenches connect to a fleet. */
export const onFleet = (): boolean => Boolean(process.env[fleetVariable]);

const taken = new Map<string, WorkbenchFleet>();

/** Returns the fleet for the workbench with this data dir; undefined if the suite runs without one. */
export function takeFleet(dataDir: string): WorkbenchFleet | undefined {
  const url = process.env[fleetVariable];
  if (!url) return undefined;
  const fleet = { url, apiKey: keyOf(taken.size) };
  taken.set(dataDir, fleet);
  return fleet;
}

/** Returns the fleet that the workbench with this data dir is connected to. */
export function fleetOf(dataDir: string): WorkbenchFleet | undefined {
  return taken.get(dataDir);
}

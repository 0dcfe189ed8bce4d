// Runs inside the extension host; VS Code calls run(). Prints one line that the benchmark reads.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { createClient } from '../../../src/client/client.ts';
import { maxRows } from '../../../src/extension/activity/activity-groups.ts';
import { ActivityStore } from '../../../src/extension/activity/activity-store.ts';
import { ActivityTree } from '../../../src/extension/activity/activity-tree.ts';
import { RecentActivity } from '../../../src/extension/activity/recent-activity.ts';
import { RateLimit } from '../../../src/extension/connection/polling/rate-limit.ts';
import { Signal } from '../../../src/extension/ui/lifecycle.ts';
import type { JobPages } from '../../../src/extension/ui/tree-rows.ts';
import { figuresMark, type HostFigures, rounds, serverVariable, warmUps } from './host-figures.ts';

/** VS Code requests rows some time after the change event. */
const quietMs = 700;

export async function run(): Promise<void> {
  const baseUrl = process.env[serverVariable] ?? '';
  // The extension has its own tree for this view; the one registered last is shown.
  await vscode.extensions.getExtension('web-data.web-data')?.activate();
  const client = createClient({ baseUrl, apiKey: 'key-0123456789', fetch: globalThis.fetch });
  const target = { kind: 'server', baseUrl, origin: baseUrl, host: 'server.test' } as const;
  const activity = new RecentActivity({
    connection: {
      target,
      serviceRuns: false,
      rateLimit: new RateLimit(),
      onDidChange: new Signal<void>(),
      onRefresh: new Signal<void>(),
      viewAccess() {
        return this.existingAccess();
      },
      existingAccess: async () => ({ target, baseUrl, client }),
    },
    log: { warn: (text) => console.warn(text) },
    // Only the benchmark refreshes.
    after: () => () => undefined,
  });
  const noPages: JobPages = {
    onDidChange: () => ({ dispose: () => undefined }),
    rows: async () => [],
    item: () => new vscode.TreeItem(''),
  };
  const spent = measure();
  const tree = new ActivityTree(activity, noPages);
  await vscode.commands.executeCommand('webdata.activity.focus');
  await until(() => activity.store.entries.length > 0);
  while (activity.store.paging.kind === 'more') await activity.loadMore();

  await sleep(quietMs);
  const figures: HostFigures = { entries: activity.store.entries.length, refreshMs: [], rowsAsked: [], busyMs: [] };
  // A nearly full segment of the list: the maximum number of rows that one new request redraws.
  for (let reading = 0; reading < 2; reading++) {
    await fetch(`${baseUrl}/news?count=${maxRows / 2 - rounds - warmUps}`);
    await readNewest(activity);
  }
  await sleep(quietMs);
  for (let round = -warmUps; round < rounds; round++) {
    await fetch(`${baseUrl}/news?count=1`);
    const before = spent();
    const busy = performance.eventLoopUtilization();
    await readNewest(activity);
    // Longer than VS Code delays its requests.
    await sleep(quietMs);
    const after = spent();
    if (round < 0) continue;
    figures.busyMs.push(performance.eventLoopUtilization(busy).active);
    figures.refreshMs.push(after.ms - before.ms);
    figures.rowsAsked.push(after.rows - before.rows);
  }
  tree.dispose();
  activity.dispose();
  console.log(`${figuresMark}${JSON.stringify(figures)}`);
}

/** Measures the milliseconds that the store and the tree take, and counts the rows that VS Code requests. */
function measure(): () => { ms: number; rows: number } {
  let ms = 0;
  let rows = 0;
  let depth = 0;
  const time = (owner: object, name: string) => {
    const original = Reflect.get(owner, name) as (...args: unknown[]) => unknown;
    Reflect.set(owner, name, function (this: unknown, ...args: unknown[]) {
      if (name === 'getTreeItem') rows++;
      const start = performance.now();
      depth++;
      try {
        return original.apply(this, args);
      } finally {
        // Nested calls count once.
        if (--depth === 0) ms += performance.now() - start;
      }
    });
  };
  time(ActivityStore.prototype, 'setNewest');
  for (const name of ['getChildren', 'getTreeItem', 'getParent']) time(ActivityTree.prototype, name);
  return () => ({ ms, rows });
}

async function readNewest(activity: RecentActivity): Promise<void> {
  const [newest] = activity.store.entries;
  activity.policy.request('command');
  await until(() => activity.store.entries[0] !== newest);
}

async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 60_000; !isSo(); await sleep(5)) {
    if (Date.now() > end) throw new Error('The condition was not met within a minute.');
  }
}

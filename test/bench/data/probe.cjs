// Loaded into the service with NODE_OPTIONS=--require: writes what kept its main thread busy to WEBDATA_BENCH_PROBE.
const { writeFileSync } = require('node:fs');
const { monitorEventLoopDelay, PerformanceObserver } = require('node:perf_hooks');
const { StatementSync, DatabaseSync } = require('node:sqlite');
const { isMainThread, Worker } = require('node:worker_threads');

const file = process.env.WEBDATA_BENCH_PROBE;
if (isMainThread && file && process.argv[1]?.endsWith('service.cjs')) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let collections = [];
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      collections.push({ start: startTime, end: startTime + duration });
  }).observe({ entryTypes: ['gc'] });

  // What storage does in one turn of the loop blocks together: statements in this thread, and messages to and from others.
  let turns = [];
  let turn = [];
  let statements = 0;
  let depth = 0;
  const sum = (calls) => calls.reduce((total, { took }) => total + took, 0);
  const endTurn = () => {
    if (sum(turn) > 1) turns.push(turn);
    turn = [];
  };
  /** Returns how long a turn took without the garbage collections in it, which clean up after everything. */
  const ownTime = (calls) =>
    calls.reduce((total, { start, end, took }) => {
      const inCollections = collections.reduce(
        (sum, other) => sum + Math.max(0, Math.min(end, other.end) - Math.max(start, other.start)),
        0,
      );
      return total + Math.max(0, took - inCollections);
    }, 0);
  /** Times calls: statements by the clock, since they wait for the disk; messages by the processor time that they take. */
  const timed = (prototype, name, applies) => {
    const plain = prototype[name];
    prototype[name] = function (...values) {
      if (depth > 0 || applies?.(this, values) === false) return plain.apply(this, values);
      depth++;
      const start = performance.now();
      const used = applies && process.threadCpuUsage();
      try {
        return plain.apply(this, values);
      } finally {
        depth--;
        if (turn.length === 0) setImmediate(endTurn);
        const end = performance.now();
        const { user, system } = used ? process.threadCpuUsage(used) : {};
        turn.push({ start, end, took: used ? (user + system) / 1000 : end - start });
        statements++;
      }
    };
  };
  for (const name of ['run', 'all', 'get']) timed(StatementSync.prototype, name);
  for (const name of ['exec', 'prepare']) timed(DatabaseSync.prototype, name);
  const isStorage = ({ threadName }) => threadName === 'storage';
  timed(Worker.prototype, 'postMessage', isStorage);
  timed(Worker.prototype, 'emit', (worker, [event]) => event === 'message' && isStorage(worker));

  process.on('SIGUSR2', () => {
    const report = {
      max: delay.max / 1e6,
      p99: delay.percentile(99) / 1e6,
      storage: turns
        .map(ownTime)
        .sort((one, other) => other - one)
        .slice(0, 5),
      collection: Math.max(0, ...collections.map(({ start, end }) => end - start)),
      statements,
    };
    writeFileSync(file, JSON.stringify(report));
    delay.reset();
    turns = [];
    collections = [];
    statements = 0;
  });
}

// Loaded into the service with NODE_OPTIONS=--require: writes what kept its main thread busy to WEBDATA_BENCH_PROBE.
const { writeFileSync } = require('node:fs');
const { monitorEventLoopDelay, PerformanceObserver } = require('node:perf_hooks');
const { StatementSync, DatabaseSync } = require('node:sqlite');
const { isMainThread, Worker } = require('node:worker_threads');

const file = process.env.WEBDATA_BENCH_PROBE;
if (isMainThread && file && process.argv[1]?.endsWith('service.cjs')) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let collection = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) collection = Math.max(collection, duration);
  }).observe({ entryTypes: ['gc'] });

  // What storage does in one turn of the loop blocks together: statements in this thread, and messages to and from others.
  let longest = 0;
  let turn = 0;
  let statements = 0;
  let depth = 0;
  const endTurn = () => {
    longest = Math.max(longest, turn);
    turn = 0;
  };
  const timed = (prototype, name, applies = () => true) => {
    const plain = prototype[name];
    prototype[name] = function (...values) {
      if (depth > 0 || !applies(this, values)) return plain.apply(this, values);
      depth++;
      const start = performance.now();
      try {
        return plain.apply(this, values);
      } finally {
        depth--;
        if (turn === 0) setImmediate(endTurn);
        turn += performance.now() - start;
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
    const report = { max: delay.max / 1e6, p99: delay.percentile(99) / 1e6, storage: longest, collection, statements };
    writeFileSync(file, JSON.stringify(report));
    delay.reset();
    longest = 0;
    collection = 0;
    statements = 0;
  });
}

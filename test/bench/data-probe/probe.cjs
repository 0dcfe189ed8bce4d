// Loaded into the service with NODE_OPTIONS=--require: writes how long its main thread was blocked to WEBDATA_BENCH_PROBE.
const { writeFileSync } = require('node:fs');
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { StatementSync, DatabaseSync } = require('node:sqlite');
const { isMainThread } = require('node:worker_threads');

const file = process.env.WEBDATA_BENCH_PROBE;
if (isMainThread && file && process.argv[1]?.endsWith('service.cjs')) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  // Storage blocks the thread for a whole transaction: its statements follow each other without a turn of the loop.
  let longest = 0;
  let begun = 0;
  let last = 0;
  const timed = (prototype, name) => {
    const plain = prototype[name];
    prototype[name] = function (...values) {
      const start = performance.now();
      try {
        return plain.apply(this, values);
      } finally {
        const end = performance.now();
        if (start - last > 0.5) begun = start;
        last = end;
        longest = Math.max(longest, end - begun);
      }
    };
  };
  for (const name of ['run', 'all', 'get']) timed(StatementSync.prototype, name);
  timed(DatabaseSync.prototype, 'exec');
  process.on('SIGUSR2', () => {
    const report = { max: delay.max / 1e6, p99: delay.percentile(99) / 1e6, storage: longest };
    writeFileSync(file, JSON.stringify(report));
    delay.reset();
    longest = 0;
  });
}

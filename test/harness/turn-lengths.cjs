// Loaded into the built service by a test: SIGUSR2 writes the longest turn of the main thread since the last signal, and
// how long a fixed piece of work takes, as a line of JSON. Both are times of the processor: other processes don't count.
const cpuMs = (since) => {
  const { user, system } = process.threadCpuUsage(since);
  return (user + system) / 1000;
};
let last = process.threadCpuUsage();
let longest = 0;
const tick = () => {
  longest = Math.max(longest, cpuMs(last));
  last = process.threadCpuUsage();
};
setInterval(tick, 1).unref();

const text = JSON.stringify(Array.from({ length: 20_000 }, (_, id) => ({ id, name: `name ${id}`, on: true })));
process.on('SIGUSR2', () => {
  tick();
  const turn = longest;
  const begun = process.threadCpuUsage();
  for (let round = 0; round < 10; round++) JSON.parse(text);
  const work = cpuMs(begun);
  last = process.threadCpuUsage();
  longest = 0;
  process.stderr.write(`${JSON.stringify({ turn, work })}\n`);
});

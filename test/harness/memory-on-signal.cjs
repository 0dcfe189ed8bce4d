// Loaded into the built service by the soak test: SIGUSR2 collects garbage and writes what the process holds as a line of JSON.
process.on('SIGUSR2', () => {
  for (let round = 0; round < 3; round++) globalThis.gc();
  process.stderr.write(`${JSON.stringify({ memory: process.memoryUsage() })}\n`);
});

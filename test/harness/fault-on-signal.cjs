// Loaded into the built service by a test: SIGUSR2 makes two faults that nothing in the service catches.
process.on('SIGUSR2', () => {
  setImmediate(() => {
    throw new Error('an injected exception');
  });
  Promise.reject(new Error('an injected rejection'));
});

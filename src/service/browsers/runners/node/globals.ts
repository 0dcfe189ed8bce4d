// A snippet may assign globals: a URL without `const`, a test tool's timers, another Promise. The build replaces these in the
// runner's own code with those from before any snippet (esbuild's `inject`).
const {
  Promise: capturedPromise,
  URL: capturedURL,
  clearTimeout: capturedClearTimeout,
  queueMicrotask: capturedQueueMicrotask,
  setImmediate: capturedSetImmediate,
  setTimeout: capturedSetTimeout,
} = globalThis;

export {
  capturedClearTimeout as clearTimeout,
  capturedPromise as Promise,
  capturedQueueMicrotask as queueMicrotask,
  capturedSetImmediate as setImmediate,
  capturedSetTimeout as setTimeout,
  capturedURL as URL,
};

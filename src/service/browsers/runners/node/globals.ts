// A snippet may assign globals: a URL without `const`, a test tool's timers, another Promise. The build replaces these in the
// runner's own code with those from before any snippet (esbuild's `inject`).
// biome-ignore lint/suspicious/noShadowRestrictedNames: whoever names them means these
export const { Promise, URL, clearTimeout, queueMicrotask, setImmediate, setTimeout } = globalThis;

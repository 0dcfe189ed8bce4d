import type { Dirent } from 'node:fs';

/** Folders of a Chrome profile whose content can be fetched or built again. */
const caches = new Set([
  'Cache',
  'Code Cache',
  'GPUCache',
  'GPUPersistentCache',
  'DawnCache',
  'DawnGraphiteCache',
  'DawnWebGPUCache',
  'GrShaderCache',
  'GraphiteDawnCache',
  'ShaderCache',
  'Crashpad',
  'Crash Reports',
  'BrowserMetrics',
  'DeferredBrowserMetrics',
  'Safe Browsing',
  'component_crx_cache',
  'extensions_crx_cache',
  'optimization_guide_model_store',
  'blob_storage',
  'Sessions',
]);

/** Whether a file or folder of a user data directory belongs in a saved profile: not caches, links, sockets or locks. */
export function belongsInProfile(entry: Dirent): boolean {
  if (entry.isDirectory()) return !caches.has(entry.name);
  return entry.isFile() && entry.name !== 'DevToolsActivePort' && !entry.name.endsWith('.tmp');
}

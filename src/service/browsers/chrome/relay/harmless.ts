import { shorten } from '../../../../contract/shorten.ts';
import type { CdpMessage } from '../messages.ts';

/** Domains whose commands act within a page, or only on what the browser keeps. */
const domains = new Set(
  `Accessibility Animation Audits Autofill BluetoothEmulation CSS CacheStorage Console DOM DOMDebugger DOMSnapshot
  DOMStorage Debugger DeviceAccess DeviceOrientation Emulation EventBreakpoints FedCm Fetch HeadlessExperimental
  HeapProfiler IO IndexedDB Input Inspector LayerTree Log Media Memory Network Overlay Page Performance
  PerformanceTimeline Preload Profiler Runtime Schema Security ServiceWorker Storage Tracing WebAudio WebAuthn`.split(
    /\s+/,
  ),
);
/** The only commands of other domains: those that Playwright, Puppeteer, BiDi clients and agent-browser need. */
const commands = new Set(
  `Browser.cancelDownload Browser.getVersion Browser.getWindowBounds Browser.getWindowForTarget Browser.grantPermissions
  Browser.resetPermissions Browser.setContentsSize Browser.setDownloadBehavior Browser.setPermission
  Browser.setWindowBounds SystemInfo.getInfo SystemInfo.getProcessInfo Target.activateTarget Target.attachToBrowserTarget
  Target.attachToTarget Target.autoAttachRelated Target.closeTarget Target.createBrowserContext Target.createTarget
  Target.detachFromTarget Target.disposeBrowserContext Target.getBrowserContexts Target.getTargetInfo Target.getTargets
  Target.setAutoAttach Target.setDiscoverTargets`.split(/\s+/),
);
/** Loads a URL for developer tools, which no client needs. */
const exceptions = new Set(['Network.loadNetworkResource']);
/** Commands that open a URL. Chrome's own pages can connect to other machines. */
const opens = new Set(['Page.navigate', 'Target.createTarget']);
const schemes = new Set(['http:', 'https:', 'about:', 'blob:', 'data:', 'file:']);

/** Returns why a command may not be sent to a browser whose requests have to be checked; undefined if it may. */
export function harmOf({ method = '', params }: CdpMessage): string | undefined {
  const isKnown = domains.has(method.slice(0, method.indexOf('.'))) || commands.has(method);
  if (!isKnown || exceptions.has(method)) {
    return `${shorten(method, 100)} isn't allowed: the service runs with --deny-private-targets, which permits only commands that can't connect to other machines.`;
  }
  return opens.has(method) ? problemOf(params?.url) : undefined;
}

/** Returns why a URL can't be opened; undefined if it can, or if there is none. */
function problemOf(text: unknown): string | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  const url = URL.parse(text);
  // Chrome reads more as a URL than the standard does: chrome://inspect:99999 is its own page for it.
  if (!url) return `"${shorten(text)}" isn't a valid URL.`;
  // In Windows, both name another machine.
  const isRemoteFile = url.protocol === 'file:' && (url.host !== '' || url.pathname.startsWith('//'));
  if (schemes.has(url.protocol) && !isRemoteFile) return undefined;
  return `Pages with the scheme ${shorten(url.protocol, 40)} can't be opened: the service runs with --deny-private-targets.`;
}

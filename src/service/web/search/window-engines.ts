import { searchBaseUrl } from '../../../contract/search.ts';
import type { WindowLink } from '../../platform/link/link.ts';
import type { Log } from '../../platform/log.ts';
import type { SearchEngine } from './engine.ts';
import { searxng } from './searxng.ts';

/** Search engines that linked windows configure in their settings. */
export function createWindowEngines(log: Log) {
  const engines = new Map<WindowLink, SearchEngine>();
  return {
    find(team: string): SearchEngine | undefined {
      for (const [window, engine] of engines) if (window.caller.team === team) return engine;
      return undefined;
    },
    heard(from: WindowLink, endpoint: string | null): void {
      engines.delete(from);
      if (endpoint === null) return;
      const baseUrl = searchBaseUrl(endpoint);
      if (baseUrl === undefined) log.warn('the search engine in the settings of a window is invalid');
      else engines.set(from, searxng(baseUrl));
    },
    gone: (from: WindowLink): void => void engines.delete(from),
  };
}

import { searchBaseUrl } from '../../../contract/search.ts';
import type { WindowLink } from '../../platform/link/link.ts';
import type { Log } from '../../platform/log.ts';
import type { SearchEngine, SearchEngines } from './engine.ts';
import { searxng } from './searxng.ts';

/** Search engines that linked windows configure in their settings. */
export interface WindowEngines extends SearchEngines {
  heard(from: WindowLink, endpoint: string | null): void;
  gone(from: WindowLink): void;
}

export function createWindowEngines(log: Log): WindowEngines {
  const engines = new Map<WindowLink, SearchEngine>();
  return {
    find(team) {
      for (const [window, engine] of engines) if (window.caller.team === team) return engine;
      return undefined;
    },
    heard(from, endpoint) {
      engines.delete(from);
      if (endpoint === null) return;
      const baseUrl = searchBaseUrl(endpoint);
      if (baseUrl === undefined) log.warn('the search engine in the settings of a window is invalid');
      else engines.set(from, searxng(baseUrl));
    },
    gone: (from) => void engines.delete(from),
  };
}

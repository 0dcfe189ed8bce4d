import { oldSetting, readSetting } from '../../ui/settings.ts';
import type { ServiceTuning } from './process.ts';

/** Settings that take effect when the embedded service starts. */
export const startSettings = ['chromePath', 'pythonPath', 'maxSessions', 'spareBrowsers'] as const;

/** Returns the current settings for the next start of the embedded service. */
export function serviceTuning(): ServiceTuning {
  return {
    chromePath: readSetting('chromePath'),
    pythonPath: readSetting('pythonPath').trim(),
    agentBrowserPath: process.env.WEBDATA_AGENT_BROWSER ? '' : oldSetting('embedded.agentBrowserPath').trim(),
    maxSessions: readSetting('maxSessions'),
    spareBrowsers: readSetting('spareBrowsers'),
  };
}

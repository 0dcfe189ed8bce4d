import { readSetting } from '../../ui/settings.ts';
import type { ServiceTuning } from './process.ts';

/** Settings that take effect when the embedded service starts. */
export const startSettings = [
  'chromePath',
  'pythonPath',
  'agentBrowserPath',
  'maxSessions',
  'spareBrowsers',
  'browserEndpoint',
] as const;

/** Returns the current settings for the next start of the embedded service. */
export function serviceTuning(): ServiceTuning {
  return {
    pythonPath: readSetting('pythonPath').trim(),
    agentBrowserPath: readSetting('agentBrowserPath').trim(),
    maxSessions: readSetting('maxSessions'),
    spareBrowsers: readSetting('spareBrowsers'),
    browserEndpoint: readSetting('browserEndpoint').trim(),
  };
}

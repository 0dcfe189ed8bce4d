import { readSetting } from '../../ui/settings.ts';
import type { ServiceTuning } from './process.ts';

/** Settings that the embedded service reads when it starts. */
export const startSettings = [
  'chromePath',
  'pythonPath',
  'agentBrowserPath',
  'maxSessions',
  'spareBrowsers',
  'browserEndpoint',
] as const;

/** What the settings say about the next embedded service that is started. */
export function serviceTuning(): ServiceTuning {
  return {
    pythonPath: readSetting('pythonPath').trim(),
    agentBrowserPath: readSetting('agentBrowserPath').trim(),
    maxSessions: readSetting('maxSessions'),
    spareBrowsers: readSetting('spareBrowsers'),
    browserEndpoint: readSetting('browserEndpoint').trim(),
  };
}

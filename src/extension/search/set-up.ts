import * as l10n from '@vscode/l10n';
import { searchBaseUrl } from '../../contract/search.ts';
import { askChecked } from '../connection/connect/server-inputs.ts';
import { say } from '../ui/dialogs.ts';
import { readSetting, writeSetting } from '../ui/settings.ts';
import { hostOf, label } from '../ui/text/text.ts';
import { engineVerdict, findSearxng } from './engine-verdict.ts';

/**
 * Asks for the URL of a SearXNG server, checks it while it is typed, and saves it. Returns whether one is set up.
 * @param pass passes the setting to the embedded service
 */
export async function setUpSearch(pass: () => void): Promise<boolean> {
  const current = readSetting('searchEndpoint').trim();
  const outcome = await askChecked({
    title: l10n.t('Set Up Search'),
    prompt:
      current === ''
        ? l10n.t('Base URL of a SearXNG server')
        : l10n.t('Base URL of a SearXNG server. Leave it empty to remove the search engine.'),
    placeholder: 'http://127.0.0.1:8888',
    value: current || (await findSearxng(globalThis.fetch)) || '',
    help: { tooltip: l10n.t('Install SearXNG'), url: 'https://docs.searxng.org/admin/installation.html' },
    ...(current !== '' && { emptyText: '' }),
    problemOf: (text) =>
      text.trim() === '' || searchBaseUrl(text) !== undefined
        ? undefined
        : l10n.t('Enter an http or https URL without a user name, such as http://127.0.0.1:8888.'),
    ask: async (text, signal) => {
      const baseUrl = searchBaseUrl(text);
      return baseUrl === undefined ? { problem: undefined } : await engineVerdict(baseUrl, signal, globalThis.fetch);
    },
  });
  if (outcome.kind !== 'text') return false;
  const baseUrl = searchBaseUrl(outcome.text);
  await writeSetting('searchEndpoint', baseUrl);
  pass();
  say(
    baseUrl === undefined
      ? l10n.t('$(check) Search engine removed')
      : l10n.t('$(check) Search engine: {0}', label(hostOf(baseUrl) ?? baseUrl, 60)),
  );
  return baseUrl !== undefined;
}

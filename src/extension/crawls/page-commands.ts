import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { limits } from '../../contract/limits.ts';
import type { FeatureParts } from '../connection/connection.ts';
import { withUrl } from '../ui/ask-url/ask-url.ts';
import { inBackground, registerCommand, UserError } from '../ui/commands.ts';
import { cancellable, say } from '../ui/dialogs.ts';
import { commands } from '../ui/ids.ts';
import { isScrapeAgain, type ScrapeAgain, timeoutOf, warningBesideButton, waysToMore } from '../ui/scrape-again.ts';
import { count, hostOf, label, shortAddress } from '../ui/text/text.ts';
import { errorStatusText } from '../ui/virtual-documents/document-text.ts';
import { safeFileName } from '../ui/virtual-documents/file-names.ts';
import { ScrapeChoices } from './scrape-choices.ts';

interface Parts extends FeatureParts {
  /** The session that the window uses. */
  session(): { id: string; title: string } | undefined;
  state: vscode.Memento;
}

/** Registers "Scrape URL…" and "Map Site…", which open the page, and the list of pages. */
export function registerPageCommands({ connection, documents, session, state, log }: Parts): vscode.Disposable {
  const choices = new ScrapeChoices({ connection, session, state });
  const optionsOf = (what: 'map' | 'scrape') => ({
    get summary() {
      return choices.summary(what);
    },
    ask: () => choices.ask(what),
  });
  return vscode.Disposable.from(
    registerCommand(commands.scrapeUrl, log, async (given?: unknown) => {
      const { scrapeUrl: command } = commands;
      const options = optionsOf('scrape');
      const { url: argument, ...again } = isScrapeAgain(given) ? given : { url: given };
      return await withUrl({ title: l10n.t('Scrape URL'), command, argument, options }, (url) => scrape(url, again));
    }),
    registerCommand(commands.mapSite, log, async (given?: unknown) => {
      const { mapSite: command } = commands;
      return await withUrl({ title: l10n.t('Map Site'), command, argument: given, options: optionsOf('map') }, map);
    }),
  );

  async function scrape(url: string, { actions, onlyMainContent }: Partial<ScrapeAgain>): Promise<void> {
    const { data } = await cancellable(l10n.t('Web Data: Scraping {0}…', shortAddress(url, 60)), async (signal) => {
      const { client } = await connection.access();
      const { fastMode, ...options } = await choices.fields('scrape', url, client, signal);
      // Actions need the page's scripts.
      const how = actions ? { actions, timeout: timeoutOf(actions) } : { ...(fastMode && { fastMode }) };
      const extent = onlyMainContent === false ? { onlyMainContent } : {};
      return await client.scrape({ body: { url, ...options, ...how, ...extent } }, { signal });
    });
    const [again] = waysToMore(url, data);
    const missing = errorStatusText(data) ?? label(warningBesideButton(data), 300);
    if (missing)
      void vscode.window
        .showWarningMessage(aboutPage(url, missing), ...(again ? [again.title] : []))
        .then((chosen) =>
          again && chosen ? vscode.commands.executeCommand(again.command, ...again.arguments) : undefined,
        );
    const { host, pathname } = new URL(url);
    const name = `scrape/${safeFileName(host, pathname)}`;
    const jobId = data.metadata?.scrapeId;
    const scraped = jobId ? { jobId, url } : undefined;
    if (data.markdown && scraped) {
      await vscode.commands.executeCommand(commands.openPageMarkdown, { scrapeId: scraped.jobId, url, keep: true });
    } else if (data.markdown) await documents.open(`${name}.md`, data.markdown, undefined, true);
    else await documents.open(`${name}.json`, JSON.stringify(data, undefined, 2), scraped, true);
  }

  async function map(url: string, readPages?: number): Promise<void> {
    let canFindMore = false;
    const { links, warning, read, stopped, startInstead } = await cancellable(
      l10n.t('Web Data: Mapping {0}…', shortAddress(url, 60)),
      async (signal) => {
        const { client, embedded } = await connection.access();
        canFindMore = embedded !== undefined;
        // Other servers may refuse a field that they don't know.
        const more = readPages === undefined ? {} : { readPages, limit: limits.mapLinks.max };
        const options = await choices.fields('map', url, client, signal);
        return await client.mapSite({ body: { url, ...options, ...more } }, { signal });
      },
    );
    if (links.length === 0) {
      const none = l10n.t('No pages were found on {0}.', label(hostOf(url) ?? url, 60));
      throw new UserError(warning ? `${none} ${label(warning, 300)}` : none);
    }
    say(l10n.t('$(check) {0} found', count(links.length, 'page')));
    const { max, default: usual } = limits.mapReads;
    const next = Math.min((readPages ?? usual) * 4, max);
    const isPartial = stopped !== undefined && stopped !== null && stopped !== 'complete';
    const shown = { url, ...(warning && { warning }), ...(read && { read }), ...(stopped && { stopped }), links };
    const hasMore = canFindMore && isPartial && next !== readPages;
    const more = l10n.t('Find More');
    // The list has room for a few words only. Another map takes the place of the list.
    if (warning) {
      const higher = startInstead ? l10n.t('Map {0}', shortAddress(startInstead, 40)) : undefined;
      const ways = [hasMore && more, higher].filter((way) => typeof way === 'string');
      const warned = vscode.window.showWarningMessage(aboutPage(url, label(warning, 1_000)), ...ways);
      const acted = warned.then(async (chosen) => {
        if (chosen === more) await map(url, next);
        else if (chosen !== undefined && startInstead) await map(startInstead);
      });
      inBackground(commands.mapSite, acted, log);
    }
    const asked = await vscode.commands.executeCommand(commands.chooseMappedPages, { ...shown, canFindMore: hasMore });
    if (asked === 'find more') await map(url, next);
  }
}

/** Returns a message about a page, which is named unless the message begins with an address. */
function aboutPage(url: string, message: string): string {
  return `Web Data: ${/^https?:\/\//.test(message) ? '' : `${shortAddress(url, 60)}: `}${message}`;
}

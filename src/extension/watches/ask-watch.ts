import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { limits } from '../../contract/limits.ts';
import { cronFields, cronOfWords } from '../../contract/schedule-words.ts';
import { typedUrl } from '../ui/ask-url/typed-url.ts';
import { askText, tooLong } from '../ui/dialogs.ts';
import { back, type Choice, pickOrType } from '../ui/pick-or-type.ts';
import { label, shortAddress } from '../ui/text/text.ts';
import { scheduleText } from './watch-texts.ts';

/** What is watched. */
export type Subject =
  | { kind: 'page'; url: string }
  | { kind: 'site'; url: string; crawlOptions?: Readonly<Record<string, unknown>> }
  | { kind: 'search'; query: string };

/** What matters of the changes; nothing set: any change. */
export interface Matter {
  /** CSS selector of the part that is compared. */
  selector?: string;
  /** Fields of the page that are compared, which a language model reads. */
  fields?: string[];
  /** A condition in a sentence, for a language model. */
  goal?: string;
}

/** Who is told of changes besides the list. */
export type Told = { by: 'notice' } | { by: 'webhook'; url: string } | { by: 'list' };

/** Returns the name of a watch in lists. */
export function nameOf(subject: Subject): string {
  return subject.kind === 'search' ? label(subject.query, 100) : shortAddress(subject.url, 100);
}

/** Asks for what is watched if nothing says so. Undefined if the user cancels. */
export async function askKind(): Promise<Subject['kind'] | undefined> {
  const kinds: (vscode.QuickPickItem & { of: Subject['kind'] })[] = [
    { label: l10n.t('$(file) A Page'), description: l10n.t('reports what changes on it'), of: 'page' },
    {
      label: l10n.t('$(globe) A Site'),
      description: l10n.t('crawls it, and reports which pages are new, changed or gone'),
      of: 'site',
    },
    { label: l10n.t('$(search) A Search'), description: l10n.t('reports which results are new'), of: 'search' },
  ];
  return (await vscode.window.showQuickPick(kinds, { title: watchTitle(l10n.t('What')), ignoreFocusOut: true }))?.of;
}

/** Asks for the words of a search. */
export async function askQuery(): Promise<string | undefined> {
  const options = { title: watchTitle(l10n.t('Search')), placeHolder: l10n.t('Words to search for') };
  return (await askText(options, (text) => tooLong(text, limits.searchQuery.max))) || undefined;
}

/** Asks what matters. Undefined if the user cancels. */
export async function askMatter(
  title: string,
  { kind }: Pick<Subject, 'kind'>,
  hasModel: boolean,
): Promise<Matter | undefined> {
  const isSearch = kind === 'search';
  const any = { label: isSearch ? l10n.t('$(list-unordered) Every New Result') : l10n.t('$(file) Any Change') };
  const part = {
    label: l10n.t('$(selection) A Part of the Page…'),
    description: l10n.t('by CSS selector'),
  };
  const fields = {
    label: l10n.t('$(symbol-field) Fields You Name…'),
    description: l10n.t('your language model reads them from the page'),
  };
  const goal = {
    label: l10n.t('$(comment) What You Describe…'),
    description: l10n.t('your language model judges each change'),
  };
  const items = [
    any,
    ...(isSearch ? [] : [part]),
    ...(hasModel && !isSearch ? [fields] : []),
    ...(hasModel ? [goal] : []),
  ];
  if (items.length === 1) return {};
  const chosen = await vscode.window.showQuickPick(items, { title, ignoreFocusOut: true });
  if (chosen === any) return {};
  if (chosen === part) {
    const prompt = l10n.t('CSS selector of the part to compare, such as main .price');
    const selector = await askText({ title, prompt }, (text) => (text ? undefined : l10n.t('Enter a CSS selector.')));
    return selector === undefined ? undefined : { selector };
  }
  if (chosen === fields) {
    const prompt = l10n.t('Names of the fields to compare, separated by commas');
    const names = await askText({ title, prompt, placeHolder: l10n.t('price, availability') }, (text) =>
      namesIn(text).length === 0 ? l10n.t('Enter the name of a field.') : undefined,
    );
    return names === undefined ? undefined : { fields: namesIn(names) };
  }
  if (chosen !== goal) return undefined;
  const sentence = await askGoal(title);
  return sentence === undefined ? undefined : { goal: sentence };
}

/** Asks for a condition in a sentence. */
export async function askGoal(title: string, value = ''): Promise<string | undefined> {
  const prompt = l10n.t('What matters, in a sentence. Other changes are listed without a notification.');
  const placeHolder = l10n.t('The price of the small plan changes');
  return await askText({ title, value, prompt, placeHolder }, (text) =>
    text === '' ? l10n.t('Describe what matters.') : tooLong(text, limits.prompt.max),
  );
}

function namesIn(text: string): string[] {
  return [...new Set(text.split(/[,;\n]/).map((name) => name.trim()))].filter((name) => name !== '');
}

/**
 * Asks who is told. Undefined if the user cancels.
 * @param webhookUrl offered for a webhook
 */
export async function askTold(title: string, webhookUrl: string | undefined): Promise<Told | undefined> {
  const items: (vscode.QuickPickItem & { by: Told['by'] })[] = [
    {
      label: l10n.t('$(bell) A Notification in VS Code'),
      description: l10n.t('while VS Code and the service run'),
      by: 'notice',
    },
    { label: l10n.t('$(plug) A Webhook…'), description: l10n.t('gets each change'), by: 'webhook' },
    { label: l10n.t('$(list-unordered) Only the List'), description: l10n.t('in the Crawls view'), by: 'list' },
  ];
  const by = (await vscode.window.showQuickPick(items, { title, ignoreFocusOut: true }))?.by;
  if (by !== 'webhook') return by && { by };
  const url = await askText(
    { title, prompt: l10n.t('URL that receives each change'), value: webhookUrl ?? '' },
    (text) => (typedUrl(text) ? undefined : l10n.t('Enter an http or https URL.')),
  );
  const typed = url === undefined ? undefined : typedUrl(url);
  return typed === undefined ? undefined : { by: 'webhook', url: typed };
}

/** Returns the title of a step. */
export function watchTitle(step: string): string {
  return l10n.t('Watch for Changes: {0}', step);
}

const usual = ['0 * * * *', '0 */6 * * *', '0 9 * * *', '0 9 * * 1-5', '0 9 * * 1'];

/**
 * Asks how often to look: a usual schedule, or a typed one in words or as a cron expression.
 * @returns a cron expression; undefined if the user cancels
 */
export async function askSchedule(title: string, current?: string): Promise<string | undefined> {
  const known = current === undefined || usual.includes(current) ? usual : [current, ...usual];
  const picked = await pickOrType<string>({
    title,
    placeholder: l10n.t(
      'Choose or enter a schedule, such as "every 30 minutes", "weekdays at 8:30" or a cron expression',
    ),
    choices: known.map((cron) => {
      const text = scheduleText(cron);
      const description = cron === current ? l10n.t('now') : text === cron ? undefined : cron;
      return { label: text, ...(description !== undefined && { description }), value: cron };
    }),
    typed: typedSchedule,
    canGoBack: false,
  });
  return picked === back ? undefined : picked;
}

function typedSchedule(typed: string): Choice<string> {
  const cron = cronFields(typed) ?? cronOfWords(typed);
  if (cron === undefined) {
    return {
      label: label(typed, 100),
      description: l10n.t('isn\'t a schedule: enter one such as "every 30 minutes" or "weekdays at 8:30"'),
    };
  }
  const text = scheduleText(cron);
  return { label: text, ...(text !== typed && { description: label(typed, 100) }), value: cron };
}

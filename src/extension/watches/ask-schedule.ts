import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { cronFields, cronOfWords } from '../../contract/schedule-words.ts';
import { settled } from '../ui/quick-pick.ts';
import { label } from '../ui/text/text.ts';
import { scheduleText } from './schedule-texts.ts';

const usual = ['0 * * * *', '0 */6 * * *', '0 9 * * *', '0 9 * * 1-5', '0 9 * * 1'];

/** A schedule. That of a typed text may be the row of what was typed before. */
type Item = vscode.QuickPickItem & { cron?: string; isTyped?: true };

/**
 * Asks how often to look: a usual schedule, or a typed one in words or as a cron expression.
 * @returns a cron expression; undefined if the user cancels
 */
export async function askSchedule(title: string, current?: string): Promise<string | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = title;
  pick.placeholder = l10n.t('Choose, or type such as "every 30 minutes", "weekdays at 8:30" or a cron expression');
  const known = current === undefined || usual.includes(current) ? usual : [current, ...usual];
  const items: Item[] = known.map((cron) => {
    const text = scheduleText(cron);
    const description = cron === current ? l10n.t('now') : text === cron ? undefined : cron;
    return { label: text, ...(description !== undefined && { description }), cron };
  });
  const show = () => {
    const typed = pick.value.trim();
    pick.items = typed === '' ? items : [typedItem(typed), ...items];
  };
  show();
  pick.onDidChangeValue(show);
  return await settled(pick, (item) => (item && !item.isTyped ? item : typedItem(pick.value)).cron);
}

function typedItem(typed: string): Item {
  const cron = cronFields(typed) ?? cronOfWords(typed);
  if (cron === undefined) {
    return {
      label: label(typed, 100),
      description: l10n.t('isn\'t a schedule: type one such as "every 30 minutes" or "weekdays at 8:30"'),
      alwaysShow: true,
      isTyped: true,
    };
  }
  const text = scheduleText(cron);
  return {
    label: text,
    ...(text !== typed && { description: label(typed, 100) }),
    alwaysShow: true,
    cron,
    isTyped: true,
  };
}

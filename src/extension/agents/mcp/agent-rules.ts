import { isAbsolute } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { EmbeddedClient } from '../../../client/client.ts';
import type { AgentKey, AgentRules } from '../../../contract/mcp/agent-keys.ts';
import { label } from '../../ui/text/text.ts';

/** What a person does with a key. */
type Step =
  | { do: 'hosts' }
  | { do: 'uploads' }
  | { do: 'switch'; field: 'downloads' | 'passwords' }
  | { do: 'budget'; field: Budget }
  | { do: 'reset' }
  | { do: 'revoke' };

/** What an agent may do without asking and its budget, in a line. */
export function rulesLine({ rules, used }: AgentKey): string {
  if (!rules || !used) return '';
  return [
    ...budgetNames.map((name) => budgetText(name, rules, used)),
    ...(rules.hosts ? [l10n.t('{0} allowed hosts', rules.hosts.length)] : []),
  ].join(' · ');
}

/** Lets a person change the rules of a key, one after the other. Returns `revoke` when they choose to revoke it instead. */
export async function editAgentRules(embedded: EmbeddedClient, key: AgentKey): Promise<'revoke' | undefined> {
  let current: AgentKey = key;
  for (;;) {
    const { rules, used } = current;
    if (!rules || !used) return 'revoke';
    const chosen = await vscode.window.showQuickPick(items(rules, used), {
      title: l10n.t('Agent Key of {0}', label(key.name, 40)),
      placeHolder: l10n.t('Select what to change'),
    });
    if (!chosen) return undefined;
    const { step } = chosen;
    if (step.do === 'revoke') return 'revoke';
    const changed = await change(rules, step);
    if (!changed) continue;
    const { hosts, downloads, passwords, uploads, runs, minutes, credits } = changed;
    current = await embedded.setAgentRules({
      params: { keyId: key.id },
      body: { rules: { hosts, downloads, passwords, uploads, runs, minutes, credits }, reset: step.do === 'reset' },
    });
  }
}

function items(rules: AgentRules, used: NonNullable<AgentKey['used']>): (vscode.QuickPickItem & { step: Step })[] {
  const asked = (how: 'ask' | 'allow') => (how === 'ask' ? l10n.t('asks you first') : l10n.t('allowed'));
  return [
    {
      label: l10n.t('Allowed hosts'),
      description: rules.hosts ? rules.hosts.join(', ') || l10n.t('none') : l10n.t('all'),
      detail: l10n.t('With a list, the agent asks before it uses another host or runs code.'),
      step: { do: 'hosts' },
    },
    {
      label: l10n.t('Forms with passwords'),
      description: asked(rules.passwords),
      step: { do: 'switch', field: 'passwords' },
    },
    { label: l10n.t('Downloads'), description: asked(rules.downloads), step: { do: 'switch', field: 'downloads' } },
    {
      label: l10n.t('Folders for uploads'),
      description: rules.uploads ? rules.uploads.join('; ') || l10n.t('none') : l10n.t('all'),
      detail: l10n.t('The agent asks you before each upload, and can upload only files from these folders.'),
      step: { do: 'uploads' },
    },
    ...budgetNames.map((field) => ({
      label: budgets[field].title,
      description: budgetText(field, rules, used),
      detail: budgets[field].detail,
      step: { do: 'budget' as const, field },
    })),
    { label: l10n.t('Reset Usage'), description: l10n.t('budgets start again from zero'), step: { do: 'reset' } },
    { label: l10n.t('Revoke Key'), description: l10n.t('ends its connections at once'), step: { do: 'revoke' } },
  ];
}

async function change(rules: AgentRules, step: Exclude<Step, { do: 'revoke' }>): Promise<AgentRules | undefined> {
  if (step.do === 'reset') return rules;
  if (step.do === 'switch') {
    return { ...rules, [step.field]: rules[step.field] === 'ask' ? 'allow' : 'ask' };
  }
  const { agentRules } = await import('../../../contract/mcp/agent-keys.ts');
  if (step.do === 'uploads') {
    const text = await vscode.window.showInputBox({
      title: l10n.t('Folders for uploads'),
      prompt: l10n.t('Separate absolute paths with semicolons. Leave empty to allow all, or enter - for none.'),
      value: rules.uploads ? rules.uploads.join('; ') || '-' : '',
      validateInput: (entered) => {
        const wrong = foldersIn(entered)?.find((folder) => !isAbsolute(folder));
        return wrong === undefined ? undefined : l10n.t("{0} isn't an absolute path.", wrong);
      },
    });
    return text === undefined ? undefined : { ...rules, uploads: foldersIn(text) };
  }
  if (step.do === 'hosts') {
    const text = await vscode.window.showInputBox({
      title: l10n.t('Allowed hosts'),
      prompt: l10n.t(
        'Separate hosts with commas, such as example.com, *.example.com, localhost:3000. Leave empty to allow all.',
      ),
      value: rules.hosts?.join(', ') ?? '',
      validateInput: (entered) => {
        const wrong = hostsIn(entered).find((host) => !agentRules.safeParse({ hosts: [host] }).success);
        return wrong === undefined ? undefined : l10n.t("{0} isn't a host. Enter one such as example.com.", wrong);
      },
    });
    if (text === undefined) return undefined;
    const hosts = hostsIn(text);
    return { ...rules, hosts: hosts.length > 0 ? hosts : null };
  }
  const { field } = step;
  const text = await vscode.window.showInputBox({
    title: budgets[field].title,
    prompt: l10n.t('Enter a whole number, or leave the box empty for no limit.'),
    value: String(rules[field] ?? ''),
    validateInput: (entered) =>
      agentRules.safeParse({ [field]: numberIn(entered) }).success
        ? undefined
        : l10n.t('Enter a whole number from 0 to 1,000,000.'),
  });
  return text === undefined ? undefined : { ...rules, [field]: numberIn(text) };
}

/** What may be limited: the words for the limit, for what was used without one, and with one. */
const budgets = {
  runs: {
    title: l10n.t('Run budget'),
    detail: l10n.t('How many times the agent may run code.'),
    used: l10n.t('{0} runs'),
    ofLimit: l10n.t('{0} of {1} runs'),
  },
  minutes: {
    title: l10n.t('Time budget'),
    detail: l10n.t("How long the agent's calls may take in total, in minutes."),
    used: l10n.t('{0} minutes'),
    ofLimit: l10n.t('{0} of {1} minutes'),
  },
  credits: {
    title: l10n.t('Credit budget'),
    detail: l10n.t('How many credits the agent may spend.'),
    used: l10n.t('{0} credits'),
    ofLimit: l10n.t('{0} of {1} credits'),
  },
};
type Budget = keyof typeof budgets;
const budgetNames = Object.keys(budgets) as Budget[];

function budgetText(field: Budget, rules: AgentRules, used: NonNullable<AgentKey['used']>): string {
  const limit = rules[field];
  const words = limit === null ? budgets[field].used : budgets[field].ofLimit;
  return words.replace('{0}', String(used[field])).replace('{1}', String(limit));
}

/** Returns the folders in a text; null: all. */
function foldersIn(text: string): string[] | null {
  const folders = text.split(';').flatMap((folder) => folder.trim() || []);
  if (folders.length === 0) return null;
  return folders.filter((folder) => folder !== '-');
}

function hostsIn(text: string): string[] {
  return text.split(/[\s,;]+/).filter((host) => host !== '');
}

function numberIn(text: string): number | null {
  return text.trim() === '' ? null : Number(text.replaceAll(/[\s,]/g, ''));
}

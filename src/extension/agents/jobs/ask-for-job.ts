import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { enteredAddress } from '../../../contract/addresses.ts';
import { jsonIn } from '../../../contract/lenient-texts.ts';
import { limits } from '../../../contract/limits.ts';
import { UserError } from '../../ui/commands.ts';
import { askText, tooLong } from '../../ui/dialogs.ts';
import { label } from '../../ui/text/text.ts';

/** What the user wants of an agent. */
export interface AskedJob {
  kind: 'agent' | 'extract';
  prompt: string | undefined;
  urls: string[];
  schema: Record<string, unknown> | undefined;
}

/** What the user has entered for a job, as text. */
export interface JobDraft {
  prompt?: string;
  urls?: string;
}

/**
 * Asks for a job: what to find out, where, and the shape of the data. Returns undefined if the user cancels.
 * @param draft what was entered before, to start from; gets what is entered now
 */
export async function askForJob(kind: AskedJob['kind'], draft: JobDraft): Promise<AskedJob | undefined> {
  const isAgent = kind === 'agent';
  const askPrompt = async (title: string) =>
    await ask(draft, 'prompt', {
      title,
      placeHolder: l10n.t('Name and price of each tea in the shop'),
      prompt: isAgent ? '' : l10n.t('Leave empty to extract what the schema describes.'),
      problem: (text) =>
        isAgent && text === '' ? l10n.t('Enter what the agent should find out.') : tooLong(text, limits.prompt.max),
    });
  const askUrls = async (title: string) =>
    await ask(draft, 'urls', {
      title,
      placeHolder: isAgent ? 'shop.example.com' : 'shop.example.com/products/*',
      prompt: isAgent
        ? l10n.t('URLs to start from, separated by spaces. Leave empty to let the agent find pages.')
        : l10n.t('URLs, separated by spaces; `/*` at the end of one stands for all pages below it.'),
      problem: (text) => {
        const urls = readUrls(text);
        if (typeof urls === 'string') return l10n.t("{0} isn't an http or https URL.", label(urls, 60));
        return !isAgent && urls.length === 0 ? l10n.t('Enter at least one URL.') : undefined;
      },
    });
  let prompt: string | undefined;
  let where: string | undefined;
  if (isAgent) {
    prompt = await askPrompt(l10n.t('Ask an Agent (1/3): What to Find Out'));
    where = prompt === undefined ? undefined : await askUrls(l10n.t('Ask an Agent (2/3): Where'));
  } else {
    where = await askUrls(l10n.t('Extract from Pages (1/3): Pages'));
    prompt = where === undefined ? undefined : await askPrompt(l10n.t('Extract from Pages (2/3): What to Extract'));
  }
  if (prompt === undefined || where === undefined) return undefined;
  const urls = readUrls(where);
  const needsSchema = prompt === '';
  const title = isAgent
    ? l10n.t('Ask an Agent (3/3): Shape of the Data')
    : l10n.t('Extract from Pages (3/3): Shape of the Data');
  const chosen = await askSchema(title, needsSchema);
  if (!chosen) return undefined;
  return { kind, prompt: prompt || undefined, urls: typeof urls === 'string' ? [] : urls, schema: chosen.schema };
}

async function ask(
  draft: JobDraft,
  field: keyof JobDraft,
  { problem, ...options }: { problem(text: string): string | undefined } & vscode.InputBoxOptions,
): Promise<string | undefined> {
  const text = await askText({ ...options, value: draft[field] ?? '' }, problem);
  if (text !== undefined) draft[field] = text;
  return text;
}

/** Returns the URLs in a text, with a scheme added where it is missing; the first word that isn't one, if any. */
function readUrls(text: string): string[] | string {
  const urls: string[] = [];
  for (const word of text.split(/[\s,]+/).filter(Boolean)) {
    const stars = /\*+$/.exec(word)?.[0] ?? '';
    const url = enteredAddress(word.slice(0, word.length - stars.length));
    if (!url) return word;
    urls.push(`${url.href}${stars && '*'}`);
  }
  return urls;
}

/** Asks for a JSON Schema. Returns undefined if the user cancels. */
async function askSchema(title: string, needed: boolean) {
  const editor = vscode.window.activeTextEditor;
  const opened = editor && schemaIn(editor.document.getText());
  const none = { label: l10n.t('$(circle-slash) No Schema'), description: l10n.t('the agent chooses the shape') };
  const file = { label: l10n.t('$(folder-opened) JSON Schema from a File…'), description: '' };
  const active = {
    label: l10n.t('$(json) JSON Schema in the Editor'),
    description: label(editor?.document.uri.path.split('/').at(-1) ?? '', 60),
  };
  const picked = await vscode.window.showQuickPick([...(opened ? [active] : []), ...(needed ? [] : [none]), file], {
    title,
    ignoreFocusOut: true,
  });
  if (!picked) return undefined;
  if (picked === none) return { schema: undefined };
  const schema = picked === file ? await chooseFile(title) : opened;
  if (!schema) return undefined;
  if (JSON.stringify(schema).length > limits.agentSchema) {
    const most = limits.agentSchema.toLocaleString('en');
    throw new UserError(l10n.t('The JSON Schema is too long: expected at most {0} characters when minified.', most));
  }
  return { schema };
}

async function chooseFile(title: string): Promise<Record<string, unknown> | undefined> {
  const [uri] = (await vscode.window.showOpenDialog({ title, filters: { JSON: ['json'] } })) ?? [];
  if (!uri) return undefined;
  const schema = schemaIn(new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)));
  if (schema) return schema;
  throw new UserError(l10n.t('The file isn\'t a JSON Schema: expected a JSON object with "type" or "properties".'));
}

/** Returns the JSON Schema in a text; undefined if it is something else. */
function schemaIn(text: string): Record<string, unknown> | undefined {
  if (!/^[\s\ufeff]*\{/.test(text)) return undefined;
  const value = Object(jsonIn(text)) as Record<string, unknown>;
  const marks = ['type', 'properties', '$schema', '$ref', 'anyOf', 'oneOf', 'allOf'];
  return marks.some((key) => key in value) ? value : undefined;
}

import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { UserError } from '../../ui/commands.ts';
import { label } from '../../ui/text.ts';

/** What the user wants of an agent. */
export interface AskedJob {
  kind: 'agent' | 'extract';
  prompt: string | undefined;
  urls: string[];
  schema: Record<string, unknown> | undefined;
}

/**
 * Asks for a job: what to find out, where, and the shape of the data. Returns undefined if the user cancels.
 * @param before what was entered before, to start from
 */
export async function askForJob(kind: AskedJob['kind'], before: AskedJob | undefined): Promise<AskedJob | undefined> {
  const isAgent = kind === 'agent';
  const askPrompt = async (title: string) =>
    await ask({
      title,
      value: before?.prompt ?? '',
      placeHolder: l10n.t('Name and price of each tea in the shop'),
      prompt: isAgent ? '' : l10n.t('Leave empty to extract what the schema describes.'),
      problem: (text) =>
        isAgent && text === ''
          ? l10n.t('Enter what the agent should find out.')
          : [...text].length > maxPrompt
            ? l10n.t('At most {0} characters.', maxPrompt.toLocaleString('en'))
            : undefined,
    });
  const askUrls = async (title: string) =>
    await ask({
      title,
      value: before?.urls.join(' ') ?? '',
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

const maxPrompt = 10_000;

async function ask({
  problem,
  ...options
}: { problem(text: string): string | undefined } & vscode.InputBoxOptions): Promise<string | undefined> {
  const text = await vscode.window.showInputBox({
    ...options,
    ignoreFocusOut: true,
    validateInput: (typed) => problem(typed.trim()),
  });
  return text?.trim();
}

/** Returns the URLs in a text, with a scheme added where it is missing; the first that isn't one, if any. */
function readUrls(text: string): string[] | string {
  const urls: string[] = [];
  for (const word of text.split(/[\s,]+/).filter(Boolean)) {
    const url = URL.parse(/^https?:\/\//i.test(word) ? word : `${isLocal(word) ? 'http' : 'https'}://${word}`);
    if (!url || (!url.hostname.includes('.') && !isLocal(word))) return word;
    urls.push(url.href);
  }
  return urls;
}

function isLocal(word: string): boolean {
  return /^(?:https?:\/\/)?(?:localhost|\[::1\]|127\.)/i.test(word);
}

/** Asks for a JSON Schema. Returns undefined if the user cancels. */
async function askSchema(
  title: string,
  needed: boolean,
): Promise<{ schema: Record<string, unknown> | undefined } | undefined> {
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
  if (picked === active) return { schema: opened };
  return picked === file ? await chooseFile(title) : { schema: undefined };
}

async function chooseFile(title: string): Promise<{ schema: Record<string, unknown> } | undefined> {
  const [uri] = (await vscode.window.showOpenDialog({ title, filters: { JSON: ['json'] } })) ?? [];
  if (!uri) return undefined;
  const schema = schemaIn(new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)));
  if (schema) return { schema };
  throw new UserError(l10n.t('The file isn\'t a JSON Schema: expected a JSON object with "type" or "properties".'));
}

/** Returns the JSON Schema in a text; undefined if it is something else. */
function schemaIn(text: string): Record<string, unknown> | undefined {
  if (text.length > 200_000) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const looksLikeOne = ['type', 'properties', '$schema', '$ref', 'anyOf', 'oneOf', 'allOf'].some(
      (key) => key in value,
    );
    return looksLikeOne ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

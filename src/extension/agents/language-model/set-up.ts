import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { requireTrust, UserError } from '../../ui/commands.ts';
import { askText, say, settled, withNotification } from '../../ui/dialogs.ts';
import { commands } from '../../ui/ids.ts';
import type { KeptSecret } from '../../ui/kept-secret.ts';
import { readSetting, writeSetting } from '../../ui/settings.ts';
import { hostOf, label, messageOf } from '../../ui/text/text.ts';
import {
  type FoundServer,
  findModelServers,
  listModels,
  type ModelServer,
  ModelServerError,
  modelBaseUrl,
  testModel,
} from './model-servers.ts';
import { chatModels } from './window-model.ts';

export interface SetUpParts {
  key: KeptSecret;
  /** Passes the configured model to the embedded service. */
  offer(): Promise<void>;
}

/** What was entered and didn't work: the inputs start with it. */
export interface Entered extends ModelServer {
  model?: string;
}

/** A way to set up a model. Returns whether one is set up. */
type Way = (parts: SetUpParts) => Promise<boolean>;
type WayItem = vscode.QuickPickItem & { way?: Way };

const downloads = 'https://ollama.com/download';
const keyPattern = /^[\x21-\x7e]{1,4096}$/;

/**
 * Asks for a language model, tests it with one call and saves it. Returns whether one is set up, so that what needed it
 * can be repeated.
 */
export async function setUpLanguageModel(parts: SetUpParts, entered?: Entered): Promise<boolean> {
  requireTrust();
  if (entered) return await useServer(parts, entered);
  const way = await choose();
  return way ? await way(parts) : false;
}

/** Lists what runs on this machine, the models of VS Code, and the other ways. */
async function choose(): Promise<Way | undefined> {
  const pick = vscode.window.createQuickPick<WayItem>();
  pick.title = l10n.t('Set Up a Language Model');
  pick.placeholder = l10n.t('Choose where the model runs');
  pick.matchOnDescription = true;
  pick.busy = true;
  const current = readSetting('languageModelBaseUrl').trim();
  const show = (servers: FoundServer[] | undefined, models: readonly vscode.LanguageModelChat[]) => {
    pick.items = wayItems(servers, models, current);
  };
  show(undefined, []);
  void Promise.all([findModelServers(globalThis.fetch), chatModels()])
    .then(([servers, models]) => show(servers, models))
    .catch(() => show([], []))
    .finally(() => {
      pick.busy = false;
    });
  return await settled(pick, (item) => item?.way);
}

function wayItems(
  servers: readonly FoundServer[] | undefined,
  models: readonly vscode.LanguageModelChat[],
  current: string,
): WayItem[] {
  const separator = (text: string): WayItem => ({ label: text, kind: vscode.QuickPickItemKind.Separator });
  const onThisMachine: WayItem[] = (servers ?? []).map((server) => ({
    label: `$(server-process) ${server.name}`,
    description: [hostOf(server.baseUrl), server.baseUrl === current && l10n.t('in use')].filter(Boolean).join(' · '),
    detail: label(server.models.join(', '), 120) || l10n.t('No models yet'),
    way: (parts) => useServer(parts, server, server.models),
  }));
  if (servers?.length === 0) {
    onThisMachine.push({
      label: l10n.t('$(cloud-download) Get Ollama…'),
      description: l10n.t("Ollama and LM Studio aren't running on this machine"),
      way: async () => {
        await vscode.env.openExternal(vscode.Uri.parse(downloads));
        return false;
      },
    });
  }
  // What is found later goes below what is there, so that no row moves under the pointer.
  return [
    { label: l10n.t('$(link) Enter a URL…'), description: l10n.t('OpenAI chat completions API'), way: useUrl },
    ...(current === ''
      ? []
      : [{ label: l10n.t('$(trash) Remove Language Model'), description: hostOf(current) ?? '', way: remove }]),
    separator(servers ? l10n.t('On this machine') : l10n.t('Looking for Ollama and LM Studio…')),
    ...onThisMachine,
    ...(models.length > 0 ? [separator('VS Code')] : []),
    ...models.map((model) => ({
      label: `$(comment-discussion) ${label(model.name, 60)}`,
      description: label(model.vendor, 40),
      way: (parts: SetUpParts) => useChatModel(parts, model),
    })),
  ];
}

async function remove(parts: SetUpParts): Promise<boolean> {
  await save(parts, {});
  return false;
}

async function useUrl(parts: SetUpParts): Promise<boolean> {
  const current = readSetting('languageModelBaseUrl');
  const options = {
    title: l10n.t('Set Up a Language Model (1/3)'),
    prompt: l10n.t('Base URL of a server with the OpenAI chat completions API'),
    placeHolder: 'https://api.example.com/v1',
    value: current,
  };
  const text = await askText(options, (typed) =>
    typed === '' || modelBaseUrl(typed)
      ? undefined
      : l10n.t('Enter an http or https URL such as https://api.example.com/v1.'),
  );
  const baseUrl = modelBaseUrl(text ?? '');
  if (baseUrl === undefined) return false;
  const saved = baseUrl === current ? await parts.key.get() : undefined;
  const apiKey = await askKey(hostOf(baseUrl) ?? baseUrl, l10n.t('Set Up a Language Model (2/3)'), saved);
  return apiKey === undefined ? false : await useServer(parts, { baseUrl, apiKey: apiKey || undefined });
}

/** Returns the key, an empty text for none, or undefined if canceled. */
async function askKey(host: string, title: string, saved?: string): Promise<string | undefined> {
  const prompt = saved
    ? l10n.t('API key for {0}. Leave empty to use the saved one.', host)
    : l10n.t('API key for {0}. Leave empty if it needs none.', host);
  const key = await askText({ title, prompt, password: true }, (typed) =>
    typed === '' || keyPattern.test(typed) ? undefined : l10n.t('Expected printable ASCII without spaces.'),
  );
  return key === undefined ? undefined : key || (saved ?? '');
}

async function useServer(parts: SetUpParts, server: Entered, known?: readonly string[]): Promise<boolean> {
  const host = hostOf(server.baseUrl) ?? server.baseUrl;
  let { apiKey } = server;
  let models = known;
  if (models === undefined || models.length === 0) {
    try {
      models = await listModels({ baseUrl: server.baseUrl, apiKey }, globalThis.fetch);
    } catch (error) {
      if (!(error instanceof ModelServerError)) throw error;
      if (error.needsKey && !apiKey) {
        const key = await askKey(host, l10n.t('Set Up a Language Model'));
        if (!key) return false;
        apiKey = key;
        models = await listModels({ baseUrl: server.baseUrl, apiKey }, globalThis.fetch).catch(() => []);
      } else if (error.needsKey) throw withEdit(error, { ...server, apiKey: undefined });
      // A server may offer chat completions without listing its models.
      else models = [];
    }
  }
  const model = await askModel(host, models, server.model);
  if (model === undefined) return false;
  const endpoint = { baseUrl: server.baseUrl, apiKey, model };
  await withNotification(testing(model), async (signal) => {
    try {
      await testModel(endpoint, globalThis.fetch, signal);
    } catch (error) {
      throw error instanceof ModelServerError ? withEdit(error, endpoint) : error;
    }
  });
  const isSaved = await save(parts, endpoint);
  if (!isSaved) {
    void vscode.window.showWarningMessage(
      l10n.t(
        'Web Data: This machine has no working keyring, so the key is kept only until this window closes. To keep it, set WEBDATA_LLM_BASE_URL, WEBDATA_LLM_MODEL and WEBDATA_LLM_API_KEY in the environment of VS Code.',
      ),
    );
  }
  done(l10n.t('{0} on {1}', model, host));
  return true;
}

/** Asks for one of the server's models; another name can be typed. */
async function askModel(host: string, models: readonly string[], typed = ''): Promise<string | undefined> {
  const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { model: string }>();
  pick.title = l10n.t('Choose a Model on {0}', host);
  pick.placeholder =
    models.length > 0 ? l10n.t('Choose a model, or type another name') : l10n.t('Type the name of a model');
  pick.value = typed;
  const show = () => {
    const name = pick.value.trim();
    const items = models.map((model) => ({ label: label(model, 200), model }));
    pick.items =
      name === '' || models.includes(name)
        ? items
        : [...items, { label: label(name, 200), description: l10n.t('as typed'), alwaysShow: true, model: name }];
  };
  show();
  pick.onDidChangeValue(show);
  return await settled(pick, (item) => (item?.model ?? pick.value.trim()) || undefined);
}

/** Uses a chat model of VS Code, which asks for consent at its first use. */
async function useChatModel(parts: SetUpParts, model: vscode.LanguageModelChat): Promise<boolean> {
  await withNotification(testing(model.name), async (_signal, _progress, token) => {
    try {
      const prompt = [vscode.LanguageModelChatMessage.User('Reply with the word OK.')];
      const justification = l10n.t('To test the model before prompts and docs answers use it.');
      const response = await model.sendRequest(prompt, { justification }, token);
      for await (const _part of response.stream) break;
    } catch (error) {
      throw new UserError(
        l10n.t("{0} doesn't respond: {1}", model.name, label(String((error as Error).message), 200)),
        [{ title: l10n.t('Choose Another Model'), command: commands.setUpLanguageModel }],
      );
    }
  });
  await save(parts, { model: model.id });
  done(model.name);
  return true;
}

/** Saves what is to be used. Returns whether the key was saved for good. */
async function save(parts: SetUpParts, { baseUrl, apiKey, model }: Partial<Entered>): Promise<boolean> {
  await writeSetting('languageModelBaseUrl', baseUrl);
  await writeSetting('languageModelName', model);
  const isSaved = await parts.key.set(apiKey);
  await parts.offer();
  return isSaved;
}

function testing(model: string): string {
  return l10n.t('Web Data: Testing {0}…', label(model, 60));
}

function withEdit(error: ModelServerError, entered: Entered): UserError {
  return new UserError(messageOf(error), [
    { title: l10n.t('Try Again'), command: commands.setUpLanguageModel, args: [entered] },
    { title: l10n.t('Choose Another Model'), command: commands.setUpLanguageModel },
  ]);
}

function done(name: string): void {
  say(l10n.t('$(check) Language model: {0}', label(name, 60)));
}

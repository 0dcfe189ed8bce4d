import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { FromService, ToolCall } from '../../../contract/embedded.ts';
import { jsonIn } from '../../../contract/lenient-texts.ts';
import type { Connection } from '../../connection/connection.ts';
import type { KeptSecret } from '../../ui/kept-secret.ts';
import { onSettingChanged, readSetting } from '../../ui/settings.ts';
import { hostOf, messageOf } from '../../ui/text/text.ts';

type ModelRequest = Extract<FromService, { type: 'model-request' }>;

/**
 * Lends the embedded service a language model over the link: the endpoint in the settings, otherwise a VS Code chat model.
 * VS Code asks for consent before its model is first used.
 */
export function lendLanguageModel(
  connection: Connection,
  key: KeptSecret,
  log: vscode.LogOutputChannel,
): vscode.Disposable & { offer(): Promise<void> } {
  const running = new Map<string, vscode.CancellationTokenSource>();

  async function offer(): Promise<void> {
    const baseUrl = readSetting('languageModelBaseUrl').trim();
    const model = readSetting('languageModelName').trim();
    const apiKey = await key.get();
    const endpoint = baseUrl && model ? { baseUrl, model, ...(apiKey && { apiKey }) } : null;
    connection.sendToService({ type: 'model-endpoint', endpoint });
    const chatModel = endpoint ? undefined : await findChatModel();
    connection.sendToService({ type: 'window-model', name: chatModel?.name ?? null });
    connection.languageModel = endpoint ? l10n.t('{0} on {1}', model, hostOf(baseUrl) ?? baseUrl) : chatModel?.name;
  }
  const offerQuietly = () =>
    void offer().catch((error: unknown) =>
      log.warn(`Couldn't offer a language model to the service: ${messageOf(error)}`),
    );

  async function answer({ id, messages, tools }: ModelRequest): Promise<void> {
    const cancel = new vscode.CancellationTokenSource();
    running.set(id, cancel);
    try {
      const model = await findChatModel();
      if (!model) throw new Error(l10n.t('VS Code no longer has a language model.'));
      const response = await model.sendRequest(
        messages.map(toChatMessage),
        {
          justification: l10n.t('To run an agent task that you started, or to answer from the docs.'),
          tools: tools.map(({ name, description, parameters }) => ({ name, description, inputSchema: parameters })),
        },
        cancel.token,
      );
      let text = '';
      const toolCalls: ToolCall[] = [];
      for await (const part of response.stream) {
        if (part instanceof vscode.LanguageModelTextPart) text += part.value;
        if (part instanceof vscode.LanguageModelToolCallPart) {
          toolCalls.push({ id: part.callId, name: part.name, arguments: JSON.stringify(part.input) });
        }
      }
      connection.sendToService({ type: 'model-answer', id, text, toolCalls });
    } catch (error) {
      if (!cancel.token.isCancellationRequested) {
        connection.sendToService({ type: 'model-error', id, message: messageOf(error) });
      }
    } finally {
      running.delete(id);
      cancel.dispose();
    }
  }

  const disposable = vscode.Disposable.from(
    connection.onModelMessage.on((message) => {
      if (message.type === 'model-request') void answer(message);
      else running.get(message.id)?.cancel();
    }),
    connection.onServiceLinked.on(offerQuietly),
    onSettingChanged(['languageModelBaseUrl', 'languageModelName'], offerQuietly),
    ...(hasChatModels() ? [vscode.lm.onDidChangeChatModels(offerQuietly)] : []),
    key.onDidChange(offerQuietly),
  );
  return { offer, dispose: () => disposable.dispose() };
}

/** Returns the chat model in the settings, or the first one if there is none or it is gone. */
async function findChatModel(): Promise<vscode.LanguageModelChat | undefined> {
  const id = readSetting('languageModelName').trim();
  const [chosen] = id === '' ? [] : await chatModels({ id });
  return chosen ?? (await chatModels())[0];
}

/** Returns VS Code's chat models; none in an editor without the API. */
export async function chatModels(selector?: vscode.LanguageModelChatSelector): Promise<vscode.LanguageModelChat[]> {
  return hasChatModels() ? await vscode.lm.selectChatModels(selector) : [];
}

/** Not every editor that runs extensions has the API. */
function hasChatModels(): boolean {
  return typeof vscode.lm?.selectChatModels === 'function';
}

function toChatMessage(message: ModelRequest['messages'][number]): vscode.LanguageModelChatMessage {
  const { User, Assistant } = vscode.LanguageModelChatMessage;
  if (message.role === 'tool') {
    return User([
      new vscode.LanguageModelToolResultPart(message.toolCallId, [new vscode.LanguageModelTextPart(message.content)]),
    ]);
  }
  // VS Code's models have no system role: its text is sent as a user message.
  if (message.role !== 'assistant') return User(message.content);
  const calls = (message.toolCalls ?? []).map(
    ({ id, name, arguments: text }) => new vscode.LanguageModelToolCallPart(id, name, inputOf(text)),
  );
  return Assistant([...(message.content ? [new vscode.LanguageModelTextPart(message.content)] : []), ...calls]);
}

function inputOf(text: string): object {
  const value = jsonIn(text);
  return typeof value === 'object' && value !== null ? value : {};
}

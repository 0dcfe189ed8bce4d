import * as vscode from 'vscode';
import type { FromService } from '../../contract/embedded.ts';
import type { Connection } from '../connection/connection.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { onSettingChanged, readSetting } from '../ui/settings.ts';
import { messageOf } from '../ui/text.ts';

type ModelRequest = Extract<FromService, { type: 'model-request' }>;

/** Name of the secret that holds the key of the language model endpoint in the settings. */
export const modelKeySecret = 'webdata.languageModel.key';

/**
 * Lends the embedded service a language model: the endpoint that the settings name, else a chat model of the person's own
 * VS Code. Both go over the link. VS Code asks the person before its model is used for the first time.
 */
export function lendLanguageModel(
  connection: Connection,
  secrets: vscode.SecretStorage,
  log: vscode.LogOutputChannel,
): vscode.Disposable {
  const disposables = new Disposables();
  const running = new Map<string, vscode.CancellationTokenSource>();

  async function offer(): Promise<void> {
    const baseUrl = readSetting('languageModelBaseUrl').trim();
    const model = readSetting('languageModelName').trim();
    const apiKey = await secrets.get(modelKeySecret);
    const endpoint = baseUrl && model ? { baseUrl, model, ...(apiKey && { apiKey }) } : null;
    connection.tellService({ type: 'model-endpoint', endpoint });
    const [first] = endpoint ? [] : await vscode.lm.selectChatModels();
    connection.tellService({ type: 'window-model', name: first?.name ?? null });
  }
  const offerQuietly = () =>
    void offer().catch((error: unknown) => log.warn(`No language model can be lent: ${messageOf(error)}`));

  async function answer({ id, messages, tools }: ModelRequest): Promise<void> {
    const cancel = new vscode.CancellationTokenSource();
    running.set(id, cancel);
    try {
      const [model] = await vscode.lm.selectChatModels();
      if (!model) throw new Error('VS Code has no language model any more.');
      const response = await model.sendRequest(
        messages.map(toChatMessage),
        {
          justification:
            'To carry out the task that you gave to the agent of a scraped page, or to answer from the docs.',
          tools: tools.map(({ name, description, parameters }) => ({ name, description, inputSchema: parameters })),
        },
        cancel.token,
      );
      let text = '';
      const toolCalls: { id: string; name: string; arguments: string }[] = [];
      for await (const part of response.stream) {
        if (part instanceof vscode.LanguageModelTextPart) text += part.value;
        if (part instanceof vscode.LanguageModelToolCallPart) {
          toolCalls.push({ id: part.callId, name: part.name, arguments: JSON.stringify(part.input) });
        }
      }
      connection.tellService({ type: 'model-answer', id, text, toolCalls });
    } catch (error) {
      if (!cancel.token.isCancellationRequested) {
        connection.tellService({ type: 'model-error', id, message: messageOf(error).slice(0, 2000) });
      }
    } finally {
      running.delete(id);
      cancel.dispose();
    }
  }

  disposables.add(
    connection.onModelMessage.on((message) => {
      if (message.type === 'model-request') void answer(message);
      else running.get(message.id)?.cancel();
    }),
  );
  disposables.add(connection.onServiceLinked.on(offerQuietly));
  disposables.add(onSettingChanged(['languageModelBaseUrl', 'languageModelName'], offerQuietly));
  disposables.add(vscode.lm.onDidChangeChatModels(offerQuietly));
  disposables.add(
    secrets.onDidChange(({ key }) => {
      if (key === modelKeySecret) offerQuietly();
    }),
  );
  return disposables;
}

function toChatMessage(message: ModelRequest['messages'][number]): vscode.LanguageModelChatMessage {
  const { User, Assistant } = vscode.LanguageModelChatMessage;
  if (message.role === 'tool') {
    return User([
      new vscode.LanguageModelToolResultPart(message.toolCallId, [new vscode.LanguageModelTextPart(message.content)]),
    ]);
  }
  // VS Code's models know no system role: its words come first.
  if (message.role !== 'assistant') return User(message.content);
  const calls = (message.toolCalls ?? []).map(
    ({ id, name, arguments: text }) => new vscode.LanguageModelToolCallPart(id, name, inputOf(text)),
  );
  return Assistant([...(message.content ? [new vscode.LanguageModelTextPart(message.content)] : []), ...calls]);
}

function inputOf(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands } from '../../ui/ids.ts';
import { Disposables } from '../../ui/lifecycle.ts';
import { messageOf } from '../../ui/text.ts';
import type { DocsConnection } from '../ask-docs.ts';
import { failureOf } from '../chat/failures.ts';
import type { BundledDocs } from '../evidence/evidence.ts';
import { visibleText } from '../visible-text.ts';
import { answerForChat, answerForModel, type ChatAnswer } from './chat-answer.ts';

export const participantId = 'webdata.docs';
export const toolName = 'webdata_docs_answer';

interface Parts {
  connection: DocsConnection & { readonly target: { kind: 'embedded' | 'server' } };
  docs: BundledDocs;
  /** The folder of the bundled docs. */
  folder: vscode.Uri;
  iconPath: vscode.Uri;
  log: vscode.LogOutputChannel;
}

/** Registers `@webdata` in VS Code's chat, and a tool for its language models, if the editor has them. */
export function registerVscodeChat(parts: Parts): vscode.Disposable {
  const disposables = new Disposables();
  try {
    // Not every editor that runs extensions has a chat API.
    if (typeof vscode.chat?.createChatParticipant === 'function') disposables.add(createParticipant(parts));
    if (typeof vscode.lm?.registerTool === 'function')
      disposables.add(vscode.lm.registerTool(toolName, createTool(parts)));
  } catch (error) {
    parts.log.warn(`Docs: couldn't register with VS Code chat: ${messageOf(error)}`);
  }
  return disposables;
}

function createParticipant(parts: Parts): vscode.ChatParticipant {
  const { connection, folder } = parts;
  const participant = vscode.chat.createChatParticipant(participantId, async (request, _context, response, token) => {
    const question = request.prompt.trim();
    if (question === '') {
      response.markdown(l10n.t('Ask how something works in Web Data.'));
      return {};
    }
    response.progress(l10n.t('Searching the docs…'));
    try {
      const answer = await untilCancelled(token, (signal) => answerForChat(parts, question, signal));
      response.markdown(answer.markdown);
      for (const target of answer.references) response.reference(uriOf(target, folder));
      return { metadata: { followUps: answer.followUps } };
    } catch (error) {
      if (token.isCancellationRequested) return {};
      const failure = failureOf(error, {
        embedded: connection.target.kind === 'embedded',
        trusted: vscode.workspace.isTrusted,
        limitedUntil: connection.rateLimit.until,
      });
      if (failure.actions.some(({ name }) => name === 'connect'))
        response.button({ command: commands.connectToServer, title: l10n.t('Connect to Server…') });
      return { errorDetails: { message: failure.text } };
    }
  });
  participant.iconPath = parts.iconPath;
  participant.followupProvider = {
    provideFollowups: (result) => {
      const followUps: unknown = result.metadata?.followUps;
      return Array.isArray(followUps) ? followUps.map((prompt) => ({ prompt: String(prompt) })) : [];
    },
  };
  return participant;
}

function createTool({ connection }: Parts): vscode.LanguageModelTool<{ question: string }> {
  return {
    prepareInvocation: ({ input }) => ({
      invocationMessage: l10n.t('Searching the Web Data docs'),
      // A question to a remote server leaves this machine, so the user confirms it first.
      ...(connection.target.kind === 'server' && {
        confirmationMessages: {
          title: l10n.t('Ask the docs of the connected server?'),
          message: escapedMarkdown(input.question),
        },
      }),
    }),
    async invoke({ input }, token) {
      const question = String(input.question);
      const text = await untilCancelled(token, (signal) => answerForModel(connection, question, signal));
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
    },
  };
}

function escapedMarkdown(text: unknown): vscode.MarkdownString {
  return new vscode.MarkdownString().appendText(visibleText(String(text)));
}

async function untilCancelled<Value>(
  token: vscode.CancellationToken,
  task: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const abort = new AbortController();
  const listening = token.onCancellationRequested(() => abort.abort(new vscode.CancellationError()));
  try {
    return await task(abort.signal);
  } finally {
    listening.dispose();
  }
}

function uriOf(target: ChatAnswer['references'][number], folder: vscode.Uri): vscode.Uri {
  if (target.kind === 'web') return vscode.Uri.parse(target.url, true);
  return vscode.Uri.joinPath(folder, target.file).with({ fragment: target.anchor });
}

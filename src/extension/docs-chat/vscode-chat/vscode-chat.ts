import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands } from '../../ui/ids.ts';
import { visibleText } from '../../ui/visible-text.ts';
import type { DocsConnection } from '../ask-docs.ts';
import { failureOf } from '../chat/failures.ts';
import type { BundledDocs } from '../evidence/evidence.ts';
import { answerForChat, answerForModel, type ChatAnswer } from './chat-answer.ts';
import { type Participant, type Tool, takeOverParticipant, takeOverTool } from './chat-stand-ins.ts';

interface Parts {
  connection: DocsConnection & { readonly target: { kind: 'embedded' | 'server' } };
  docs: BundledDocs;
  /** The folder of the bundled docs. */
  folder: vscode.Uri;
}

/** Answers `@webdata` in VS Code's chat, and the tool for its language models, where the editor supports them. */
export function registerVscodeChat(parts: Parts): vscode.Disposable {
  return vscode.Disposable.from(takeOverParticipant(createParticipant(parts)), takeOverTool(createTool(parts)));
}

function createParticipant(parts: Parts): Participant {
  const { connection, folder } = parts;
  return {
    async answer(request, _context, response, token) {
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
    },
    provideFollowups: (result) => {
      const followUps: unknown = result.metadata?.followUps;
      return Array.isArray(followUps) ? followUps.map((prompt) => ({ prompt: String(prompt) })) : [];
    },
  };
}

function createTool({ connection }: Parts): Tool {
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

import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { untilCancelled } from '../../ui/dialogs.ts';
import { chatTools, commands } from '../../ui/ids.ts';
import type { DocsConnection } from '../ask-docs.ts';
import { failureOf } from '../chat/failures.ts';
import type { BundledDocs } from '../evidence/evidence.ts';
import { answerForChat, type ChatAnswer, type ModelAnswers, sourcesOf } from './chat-answer.ts';
import type { Participant } from './chat-stand-ins.ts';
import type { ChatTurn } from './tool-rounds.ts';

interface Parts {
  connection: DocsConnection & { readonly target: { kind: 'embedded' | 'server' } };
  docs: BundledDocs;
  /** Answers the questions of the chat's model. */
  answers: ModelAnswers;
  /** The folder of the bundled docs. */
  folder: vscode.Uri;
}

/**
 * Answers `@webdata` in VS Code's chat: with the chat's model and the tools of the extension, or from the docs alone if the
 * model can't call tools.
 */
export function createParticipant(parts: Parts): Participant {
  return {
    async answer(request, context, response, token) {
      const question = request.prompt.trim();
      if (question === '' && (request.toolReferences ?? []).length === 0) {
        response.markdown(l10n.t('Ask a question about Web Data, or give it a task in the browser or on a site.'));
        return {};
      }
      const turn = { request, context, response, token };
      const answered = vscode.workspace.isTrusted ? await answerWithModel(parts, turn) : undefined;
      return answered ?? (await answerFromDocs(parts, question, turn));
    },
    provideFollowups: (result) => {
      const followUps: unknown = result.metadata?.followUps;
      return Array.isArray(followUps) ? followUps.map((prompt) => ({ prompt: String(prompt) })) : [];
    },
  };
}

/** Returns undefined if the chat's model can't be used, and nothing was shown. */
async function answerWithModel(parts: Parts, turn: ChatTurn): Promise<vscode.ChatResult | undefined> {
  const { toolsFor, answerWithTools } = await import('./tool-rounds.ts');
  const tools = toolsFor(turn.request);
  if (tools.length === 0) return undefined;
  const followUps = new Set<string>();
  const shown = new Set<string>();
  const result = await answerWithTools(turn, tools, async (name, input) => {
    const question = 'question' in input && typeof input.question === 'string' ? input.question : undefined;
    const reply = name === chatTools.docs && question !== undefined ? parts.answers.replyTo(question) : undefined;
    if (!reply || question === undefined) return;
    const sources = await sourcesOf(reply, question, parts.docs);
    for (const followUp of sources.followUps) followUps.add(followUp);
    for (const target of sources.references) {
      const uri = uriOf(target, parts.folder);
      if (!shown.has(uri.toString())) turn.response.reference(uri);
      shown.add(uri.toString());
    }
  });
  return result && { ...result, metadata: { followUps: [...followUps].slice(0, 3) } };
}

async function answerFromDocs(parts: Parts, question: string, { response, token }: ChatTurn) {
  const { connection, folder } = parts;
  response.progress(l10n.t('Searching the docs…'));
  try {
    const answer = await untilCancelled(token, (signal) => answerForChat(parts, question, signal));
    response.markdown(answer.markdown);
    for (const target of answer.references) response.reference(uriOf(target, folder));
    return { metadata: { followUps: answer.followUps } };
  } catch (error) {
    if (token.isCancellationRequested) return {};
    const failure = failureOf(error, connection, vscode.workspace.isTrusted);
    if (failure.actions.some(({ name }) => name === 'connect'))
      response.button({ command: commands.connectToServer, title: l10n.t('Connect to Server…') });
    return { errorDetails: { message: failure.text } };
  }
}

function uriOf(target: ChatAnswer['references'][number], folder: vscode.Uri): vscode.Uri {
  if (target.kind === 'web') return vscode.Uri.parse(target.url, true);
  return vscode.Uri.joinPath(folder, target.file).with({ fragment: target.anchor });
}

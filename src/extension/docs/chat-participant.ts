import * as vscode from 'vscode';
import { commands } from '../ui/ids.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { messageOf } from '../ui/text.ts';
import { chatMarkdown } from './chat-markdown.ts';
import { type AskedConnection, askDocs, type DocsReply } from './docs-client.ts';
import { describeEvidence, evidenceTarget, type OwnTexts } from './evidence.ts';
import { failureOf } from './failure-texts.ts';
import { followUps } from './follow-ups.ts';

export const participantId = 'webdata.docs';
export const toolName = 'webdata_docs_answer';

interface Parts {
  connection: AskedConnection & { readonly target: { kind: 'embedded' | 'server' } };
  texts: OwnTexts;
  /** Where our own texts are. */
  folder: vscode.Uri;
  iconPath: vscode.Uri;
  log: vscode.LogOutputChannel;
}

/** `@webdata` in VS Code's own chat, and a tool for its models; nothing where there is neither. */
export function registerChat(parts: Parts): vscode.Disposable {
  const disposables = new Disposables();
  try {
    // Not every editor that runs extensions has a chat.
    if (typeof vscode.chat?.createChatParticipant === 'function') disposables.add(participant(parts));
    if (typeof vscode.lm?.registerTool === 'function') disposables.add(vscode.lm.registerTool(toolName, tool(parts)));
  } catch (error) {
    parts.log.warn(`Docs: the chat of VS Code cannot be joined: ${messageOf(error)}`);
  }
  return disposables;
}

function participant(parts: Parts): vscode.ChatParticipant {
  const { connection, texts } = parts;
  const made = vscode.chat.createChatParticipant(participantId, async (request, _context, response, token) => {
    const question = request.prompt.trim();
    if (question === '') {
      response.markdown('Ask how something of Web Data works.');
      return {};
    }
    response.progress('Reading the docs…');
    try {
      const reply = await asked(connection, question, token);
      response.markdown(chatMarkdown(reply.text));
      for (const uri of await references(parts, reply)) response.reference(uri);
      const evidence = await Promise.all(reply.evidence.map((one) => describeEvidence(one, reply.embedded, texts)));
      return { metadata: { followUps: await followUps(evidence, [question], texts) } };
    } catch (error) {
      if (token.isCancellationRequested) return {};
      const { embedded, limitedUntil } = {
        embedded: connection.target.kind === 'embedded',
        limitedUntil: connection.rateLimit.until,
      };
      const failure = failureOf(error, { embedded, limitedUntil, trusted: vscode.workspace.isTrusted });
      if (failure.actions.some(({ name }) => name === 'connect'))
        response.button({ command: commands.connectToServer, title: 'Connect to Server…' });
      return { errorDetails: { message: failure.text } };
    }
  });
  made.iconPath = parts.iconPath;
  made.followupProvider = {
    provideFollowups: (result) => {
      const offered: unknown = result.metadata?.followUps;
      return Array.isArray(offered) ? offered.map((prompt) => ({ prompt: String(prompt) })) : [];
    },
  };
  return made;
}

function tool({ connection }: Parts): vscode.LanguageModelTool<{ question: string }> {
  return {
    prepareInvocation: ({ input }) => ({
      invocationMessage: 'Asking the Web Data docs',
      // What a model asks of a server leaves this machine: the person sees it first.
      ...(connection.target.kind === 'server' && {
        confirmationMessages: { title: 'Ask the docs of the connected server?', message: String(input.question) },
      }),
    }),
    async invoke({ input }, token) {
      const reply = await asked(connection, String(input.question), token);
      const sources = reply.evidence.map(({ pathOrUrl, reason }) => `- ${pathOrUrl}${reason ? ` (${reason})` : ''}`);
      const text = [reply.text, ...(sources.length > 0 ? ['', 'Sources:', ...sources] : [])].join('\n');
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
    },
  };
}

async function asked(
  connection: AskedConnection,
  question: string,
  token: vscode.CancellationToken,
): Promise<DocsReply> {
  const abort = new AbortController();
  const listening = token.onCancellationRequested(() => abort.abort(new vscode.CancellationError()));
  try {
    return await askDocs(connection, question, abort.signal);
  } finally {
    listening.dispose();
  }
}

async function references({ texts, folder }: Parts, reply: DocsReply): Promise<vscode.Uri[]> {
  const names = await texts.names();
  return reply.evidence.flatMap(({ pathOrUrl }) => {
    const target = evidenceTarget(pathOrUrl, reply.embedded, names);
    if (target.kind === 'own') return [vscode.Uri.joinPath(folder, target.file).with({ fragment: target.anchor })];
    return target.kind === 'web' ? [vscode.Uri.parse(target.url, true)] : [];
  });
}

import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { dataBlockRule } from '../../../answers/data-block.ts';
import { chatTools } from '../../ui/ids.ts';
import { label, messageOf } from '../../ui/text/text.ts';
import { visibleText } from '../../ui/text/visible-text.ts';
import { ChatMarkdown } from './chat-markdown.ts';
import { participantId } from './chat-stand-ins.ts';

/** Maximum number of requests in which the model may call tools, and of calls in one of them. */
const [maxRounds, maxCalls] = [8, 6];
/** Maximum number of earlier requests and answers that the model reads again, and of characters of each. */
const [maxTurns, maxTurnLength] = [10, 4_000];

const instructions = `You are Web Data, an extension of VS Code with browser sessions, web scraping, crawling and documentation. Do what the user asks, and only that.
For a question about Web Data itself (features, API, settings, limits), call ${chatTools.docs} and answer only from what it returns; if that doesn't answer the question, say so.
To read one page: ${chatTools.scrape}. For many pages of a site: ${chatTools.crawl}. To see or use the page that the user has open: ${chatTools.page}, then ${chatTools.run} with Playwright code.
If the user declines a call, don't repeat it: ask what to do instead.
${dataBlockRule}
Answer briefly, in the user's language. Use paragraphs, lists and code blocks only: no links, headings, tables, images or HTML.`;

/** A request to `@webdata`, and where its answer goes. */
export interface ChatTurn {
  request: vscode.ChatRequest;
  context: vscode.ChatContext;
  response: vscode.ChatResponseStream;
  token: vscode.CancellationToken;
}

/** Returns the tools that a request may use: none if the editor has none, or the model can't call any. */
export function toolsFor({ model }: vscode.ChatRequest): readonly vscode.LanguageModelToolInformation[] {
  if (typeof vscode.lm?.invokeTool !== 'function' || typeof model?.sendRequest !== 'function') return [];
  if (capabilitiesOf(model).supportsToolCalling === false) return [];
  const names: readonly string[] = Object.values(chatTools);
  return vscode.lm.tools.filter(({ name }) => names.includes(name));
}

/**
 * Lets the chat's model answer a request, with tools.
 * @param onCalled called after each successful call of a tool, with its input
 * @returns undefined if the model can't be used, and nothing was shown
 */
export async function answerWithTools(
  { request, context, response, token }: ChatTurn,
  tools: readonly vscode.LanguageModelToolInformation[],
  onCalled: (name: string, input: object) => Promise<void>,
): Promise<vscode.ChatResult | undefined> {
  const { User, Assistant } = vscode.LanguageModelChatMessage;
  const { model } = request;
  const messages = [
    User(instructions),
    ...historyOf(context),
    User(request.prompt.trim() || 'Use the tools that I named.'),
  ];
  const markdown = new ChatMarkdown();
  let hasAnswered = false;
  const show = (text: string) => {
    if (text === '') return;
    hasAnswered = true;
    response.markdown(text);
  };

  for (let round = 1; ; round++) {
    const isLast = round > maxRounds;
    const said: string[] = [];
    const calls: vscode.LanguageModelToolCallPart[] = [];
    try {
      const { stream } = await model.sendRequest(messages, optionsOf(round), token);
      for await (const part of stream) {
        if (part instanceof vscode.LanguageModelToolCallPart) calls.push(part);
        if (!(part instanceof vscode.LanguageModelTextPart)) continue;
        said.push(part.value);
        show(visibleText(markdown.push(part.value)));
      }
      // Lines that the model writes after its calls are a paragraph of their own.
      show(markdown.push(calls.length > 0 && said.length > 0 ? '\n\n' : ''));
    } catch (error) {
      if (token.isCancellationRequested) return {};
      if (round === 1 && !hasAnswered) return undefined;
      show(visibleText(markdown.end()));
      return { errorDetails: { message: l10n.t('The language model failed: {0}', label(messageOf(error), 300)) } };
    }
    if (calls.length === 0 || isLast) break;
    messages.push(Assistant([...said.map((text) => new vscode.LanguageModelTextPart(text)), ...calls]));
    const results: vscode.LanguageModelToolResultPart[] = [];
    for (const [index, call] of calls.entries()) {
      const content =
        index < maxCalls ? await contentOf(call) : [text(`Not called: at most ${maxCalls} calls at a time.`)];
      if (token.isCancellationRequested) return {};
      results.push(new vscode.LanguageModelToolResultPart(call.callId, content));
    }
    messages.push(User(results));
    if (round === maxRounds) messages.push(User('No more tools can be called. Answer with what you know so far.'));
  }
  show(visibleText(markdown.end()));
  if (hasAnswered) return {};
  return {
    errorDetails: { message: l10n.t('The language model returned no answer. Ask again, or choose another model.') },
  };

  function optionsOf(round: number): vscode.LanguageModelChatRequestOptions {
    const { Auto, Required } = vscode.LanguageModelChatToolMode;
    const asked = new Set(request.toolReferences?.map(({ name }) => name));
    const named = round === 1 ? tools.filter(({ name }) => asked.has(name)) : [];
    const offered = (named.length > 0 ? named : tools).map(({ name, description, inputSchema }) => ({
      name,
      description,
      ...(inputSchema && { inputSchema }),
    }));
    // Some models can be required to call one tool only.
    return { tools: offered, toolMode: named.length === 1 ? Required : Auto };
  }

  async function contentOf({ name, input }: vscode.LanguageModelToolCallPart): Promise<unknown[]> {
    const known = tools.map((tool) => tool.name);
    if (!known.includes(name)) return [text(`There is no tool ${label(name)}. The tools are: ${known.join(', ')}.`)];
    try {
      const { toolInvocationToken } = request;
      const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken }, token);
      await onCalled(name, input);
      const seesImages = capabilitiesOf(model).supportsImageToText !== false;
      return content.map((part) =>
        part instanceof vscode.LanguageModelDataPart && !seesImages
          ? text("(An image, which this model can't see.)")
          : part,
      );
    } catch (error) {
      const isDeclined =
        error instanceof vscode.CancellationError || (error instanceof Error && error.name === 'Canceled');
      return [text(isDeclined ? 'The user declined this call.' : messageOf(error, 2000))];
    }
  }
}

const text = (value: string) => new vscode.LanguageModelTextPart(value);

/** What a model can do, as far as the editor says. Its types don't have it yet. */
function capabilitiesOf(model: vscode.LanguageModelChat): {
  supportsToolCalling?: boolean;
  supportsImageToText?: boolean;
} {
  return (model as { capabilities?: ReturnType<typeof capabilitiesOf> }).capabilities ?? {};
}

/** Returns what was asked of `@webdata` before, and its answers. */
function historyOf({ history }: vscode.ChatContext): vscode.LanguageModelChatMessage[] {
  const { User, Assistant } = vscode.LanguageModelChatMessage;
  return history
    .filter(({ participant }) => participant === participantId || participant.endsWith(`.${participantId}`))
    .slice(-maxTurns)
    .flatMap((turn) => {
      if (turn instanceof vscode.ChatRequestTurn) return [User(turn.prompt.slice(0, maxTurnLength))];
      const parts = turn.response.flatMap((part) =>
        part instanceof vscode.ChatResponseMarkdownPart ? [part.value.value] : [],
      );
      const answer = parts.join('').slice(0, maxTurnLength);
      return answer === '' ? [] : [Assistant(answer)];
    });
}

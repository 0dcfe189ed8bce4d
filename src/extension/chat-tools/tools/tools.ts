import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ToolResult } from '../../../answers/answer.ts';
import { createAnswers } from '../../../answers/answers.ts';
import { createRedact } from '../../../answers/redaction.ts';
import { untilCancelled } from '../../ui/dialogs.ts';
import { type ChatToolName, chatTools } from '../../ui/ids.ts';
import type { ChatToolParts } from '../chat-tools.ts';
import type { Tool } from '../tool-stand-ins.ts';
import { crawlTool } from './crawl.ts';
import { problemOf } from './problem.ts';
import { docsTool, pageTool, scrapeTool } from './read.ts';
import { runTool } from './run.ts';
import { type ChatTool, checkInput } from './tool.ts';

/** Maximum number of characters of the long answers of one tool that are kept. */
const keptLength = 8 * 1024 * 1024;

/** What each tool does. */
export function definitions(parts: ChatToolParts): Record<keyof typeof chatTools, ChatTool> {
  return {
    run: runTool(parts),
    page: pageTool(parts),
    scrape: scrapeTool(parts),
    crawl: crawlTool(parts),
    docs: docsTool(parts),
  };
}

/**
 * Creates the tools as VS Code calls them. Their results hold no key, mark what others wrote as untrusted, and are divided
 * into parts; their errors say what to do next.
 */
export function createTools(parts: ChatToolParts): Record<ChatToolName, Tool> {
  const keys = new Set<string>();
  const redact = (text: string) => createRedact([...keys])(text);
  const learnKeys = async () => {
    for (const key of await parts.connection.knownKeys()) keys.add(key);
  };

  function create(prefix: string, name: ChatToolName, tool: ChatTool): Tool {
    const answers = createAnswers(redact, { readOn: name, prefix, keptLength });

    async function answer(input: unknown, signal: AbortSignal): Promise<ToolResult> {
      const asked = checkInput(name, tool, input);
      const written = await ('readOn' in asked
        ? answers.read(asked.readOn.answer, asked.readOn)
        : tool.run(asked.input, signal));
      await learnKeys();
      return await answers.write(written);
    }

    return {
      prepareInvocation({ input }) {
        const asked = attempt(() => checkInput(name, tool, input));
        // Invalid input is never used: the call fails, and says what to send.
        if (!asked) return {};
        if ('readOn' in asked) return { invocationMessage: l10n.t('Reading more of an answer') };
        const { doing, question } = tool.prepare(asked.input);
        return { invocationMessage: doing, ...(question && { confirmationMessages: question }) };
      },
      async invoke({ input }, token) {
        try {
          return resultOf(await untilCancelled(token, (signal) => answer(input, signal)));
        } catch (error) {
          if (token.isCancellationRequested) throw new vscode.CancellationError();
          await learnKeys().catch(() => undefined);
          throw new Error(redact(problemOf(error)));
        }
      },
    };
  }

  const created = Object.entries(definitions(parts)).map(([key, tool]) => {
    const name = chatTools[key as keyof typeof chatTools];
    return [name, create(key, name, tool)];
  });
  return Object.fromEntries(created);
}

function attempt<Value>(task: () => Value): Value | undefined {
  try {
    return task();
  } catch {
    return undefined;
  }
}

function resultOf({ content }: ToolResult): vscode.LanguageModelToolResult {
  return new vscode.LanguageModelToolResult(
    content.map((block) =>
      block.type === 'text'
        ? new vscode.LanguageModelTextPart(block.text)
        : vscode.LanguageModelDataPart.image(Buffer.from(block.data, 'base64'), block.mimeType),
    ),
  );
}

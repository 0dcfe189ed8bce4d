import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { limits } from '../../../contract/limits.ts';
import type { ChatToolParts } from '../chat-tools.ts';
import { type ChatTool, chatTool, placeNote, questionWith } from './tool.ts';

/** The tool that answers from the docs. */
export function docsTool({ connection, answerFromDocs }: ChatToolParts): ChatTool {
  return chatTool({
    schema: z.strictObject({
      question: z
        .string()
        .min(limits.question.min)
        .max(limits.question.max)
        .describe('One question in plain words. Required, unless you send "answer".'),
    }),
    example: { question: 'How do I save logins between sessions?' },
    prepare: ({ question }) => ({
      doing: l10n.t('Searching the Web Data docs'),
      // A question to a remote server leaves this machine, so the user confirms it first.
      ...(connection.target.kind === 'server' && {
        question: questionWith(l10n.t('Ask the docs of the connected server?'), {
          text: question,
          note: placeNote(connection),
        }),
      }),
    }),
    run: async ({ question }, signal) => ({
      content: { name: 'documentation', text: await answerFromDocs(question, signal) },
    }),
  });
}

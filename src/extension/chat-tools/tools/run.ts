import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Answer } from '../../../answers/answer.ts';
import { describeRun } from '../../../answers/texts.ts';
import { limits } from '../../../contract/limits.ts';
import { languages } from '../../../contract/sessions/execution.ts';
import { languageIds } from '../../ui/ids.ts';
import { shortId } from '../../ui/text/text.ts';
import type { ChatToolParts, RanCode } from '../chat-tools.ts';
import { type ChatTool, chatTool, placeNote, questionWith } from './tool.ts';

const names = { node: 'Node.js', python: 'Python', bash: 'Bash' } as const;

/** The tool that runs code in the session that the window uses. */
export function runTool({ connection, runCode }: ChatToolParts): ChatTool {
  return chatTool({
    schema: z.strictObject({
      code: z
        .string()
        .min(1)
        .max(limits.code.max)
        .describe('Code to run. The value of the last expression is the result. Required, unless you send "answer".'),
      language: z.enum(languages).optional().describe('Default: node'),
      timeout: z
        .int()
        .min(limits.runTimeout.min)
        .max(limits.runTimeout.max)
        .optional()
        .describe('Timeout in seconds, default 30'),
    }),
    example: { code: "await page.goto('https://example.com'); await page.title()" },
    prepare: ({ code, language = 'node' }) => ({
      doing: l10n.t('Running {0} code in the browser session', names[language]),
      question: questionWith(l10n.t('Run {0} code in the browser session?', names[language]), {
        text: code,
        language: languageIds[language],
        note:
          connection.target.kind === 'embedded'
            ? l10n.t("Runs on this machine with your permissions and isn't sandboxed.")
            : placeNote(connection),
      }),
    }),
    async run({ code, language = 'node', timeout = limits.runTimeout.default }, signal) {
      const ran = await runCode({ text: code, language, timeout }, signal);
      return { ...outcomeOf(ran), ...outputOf(ran) };
    },
  });
}

/** Returns how a run has ended, in facts of the service. Throws why the code couldn't run. */
export function outcomeOf(ran: RanCode): Pick<Answer, 'text' | 'next'> {
  const { id, sessionId, state, notice, failure } = ran;
  if (failure !== undefined) throw failure;
  if (state === 'cancelled')
    return { text: 'The user stopped the run.', next: 'Next: ask the user how to continue, before you run it again.' };
  const { summary } = describeRun({ ...ran, exitCode: exitCodeOf(ran) });
  const session = sessionId === '' ? '' : ` in session ${shortId(sessionId)}`;
  const place = `Run ${shortId(id)}${session}, listed in Run Results.`;
  const next = ran.killed ? 'Next: send a longer "timeout", or do less in one run.' : undefined;
  return { text: [summary, place, notice].filter(Boolean).join(' '), ...(next && { next }) };
}

/** Returns the output of a run: what its code says, and its result if that is an image. */
export function outputOf(ran: RanCode): Pick<Answer, 'content' | 'images' | 'next'> {
  const isPicture = ran.result !== undefined && /^data:image\/[\w+.-]+;base64,/.test(ran.result);
  const { text } = describeRun({ ...ran, ...(isPicture && { result: undefined }), exitCode: exitCodeOf(ran) });
  const content = text && { content: { name: 'output', text } };
  if (!isPicture) return { ...content };
  // Most models can't read part of an image.
  if (ran.truncated)
    return { ...content, next: 'The image is larger than 1 MiB. Next: capture a smaller part of the page.' };
  return { ...content, images: [ran.result ?? ''] };
}

/** Servers report whether a run has failed in several ways; only that is kept of it. */
function exitCodeOf({ state }: RanCode): number | undefined {
  return state === 'ok' ? 0 : undefined;
}

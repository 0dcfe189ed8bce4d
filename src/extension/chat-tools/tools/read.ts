import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { documentForModel, documentFormats } from '../../../answers/texts.ts';
import { limits } from '../../../contract/limits.ts';
import { webUrl } from '../../../contract/scrape/scrape.ts';
import { shortAddress } from '../../ui/text/text.ts';
import type { ChatToolParts } from '../chat-tools.ts';
import { outcomeOf, outputOf } from './run.ts';
import { type ChatTool, chatTool, placeNote, questionWith } from './tool.ts';

/** How old a cached copy of a page may be, in milliseconds: models often read a page several times. */
const cacheMs = 60 * 60 * 1000;

/** The tool that reads one page without a session. */
export function scrapeTool({ connection }: ChatToolParts): ChatTool {
  return chatTool({
    schema: z.strictObject({
      url: webUrl.describe('http or https URL. Required, unless you send "answer".'),
      format: z.enum(documentFormats).optional().describe('Default: markdown'),
      onlyMainContent: z.boolean().optional().describe('false: include navigation and footers'),
      waitFor: z.int().min(0).max(limits.scrapeWait.max).optional().describe('Milliseconds to wait for scripts'),
      fresh: z.boolean().optional().describe("true: don't use a cached copy, which can be up to an hour old"),
    }),
    example: { url: 'https://example.com' },
    prepare: ({ url }) => ({
      doing: l10n.t('Scraping {0}', shortAddress(url, 60)),
      question: questionWith(l10n.t('Scrape this URL?'), { text: url, note: placeNote(connection) }),
    }),
    async run({ url, format = 'markdown', onlyMainContent = true, waitFor = 0, fresh = false }, signal) {
      const { client } = await connection.access();
      const body = { url, formats: [format], onlyMainContent, waitFor, maxAge: fresh ? 0 : cacheMs };
      const { data } = await client.scrape({ body }, { signal });
      return { content: { name: 'page', text: documentForModel(data, format) } };
    },
  });
}

/** Seconds for opening and reading a page. */
const timeout = 60;
const blank = 'about:blank';

/** The tool that reads the page of the session that the window uses, after opening a URL there if one is given. */
export function pageTool({ connection, runCode }: ChatToolParts): ChatTool {
  return chatTool({
    schema: z.strictObject({
      url: webUrl.optional().describe('http or https URL to open first; default: the page that is open'),
      screenshot: z.boolean().optional().describe('true: an image of the page instead of its text and elements'),
      fullPage: z.boolean().optional().describe('With "screenshot": the whole page, not only the visible part'),
    }),
    example: { url: 'https://example.com' },
    prepare: ({ url }) =>
      url === undefined
        ? { doing: l10n.t('Reading the page of the browser session') }
        : {
            doing: l10n.t('Opening {0}', shortAddress(url, 60)),
            question: questionWith(l10n.t('Open this URL in the browser session?'), {
              text: url,
              note: placeNote(connection),
            }),
          },
    async run({ url, screenshot = false, fullPage = false }, signal) {
      const title = url === undefined ? l10n.t('read the page') : l10n.t('open {0}', shortAddress(url, 60));
      const text = codeFor({ url, screenshot, fullPage });
      const ran = await runCode({ text, language: 'node', timeout, title }, signal);
      const outcome = outcomeOf(ran);
      const { result, error } = ran;
      if (error !== undefined) return { next: 'Next: check the URL.', ...outcome, ...outputOf(ran) };
      if (screenshot || result === undefined) return { ...outcome, ...outputOf(ran) };
      if (result.startsWith(`${blank}\n`))
        return { text: "The session's page is blank.", next: 'Next: send the "url" of a page to open.' };
      return { ...outcome, content: { name: 'page', text: result } };
    },
  });
}

/** Returns the code that opens and reads a page. The person can open it from Run Results and run it again. */
function codeFor({ url, screenshot, fullPage }: { url?: string | undefined; screenshot: boolean; fullPage: boolean }) {
  const open = url === undefined ? '' : `await page.goto(${JSON.stringify(url)});\n`;
  if (screenshot) return `${open}await page.screenshot({ type: 'jpeg', quality: 80, fullPage: ${fullPage} })`;
  // A server may have an older Playwright, whose pages have no snapshot of their own.
  const snapshot = "await (page.ariaSnapshot ? page : page.locator('body')).ariaSnapshot({ mode: 'ai' })";
  return `${open}[page.url(), await page.title(), ${snapshot}].join('\\n')`;
}

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

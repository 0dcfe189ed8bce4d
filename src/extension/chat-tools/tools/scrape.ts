import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { documentForModel, documentFormats } from '../../../answers/document-for-model.ts';
import { limits } from '../../../contract/limits.ts';
import { webUrl } from '../../../contract/scrape/scrape.ts';
import { shortAddress } from '../../ui/text/text.ts';
import type { ChatToolParts } from '../chat-tools.ts';
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

import { dataBlockRule } from '../../../../answers/data-block.ts';
import type { LanguageModel } from '../../../platform/language-model/language-model.ts';
import { ScrapeError } from '../scrape-errors.ts';
import type { Reading } from '../scraper-parts.ts';
import { pageBlock } from './page-prompt.ts';

const instructions = `You summarize a page. Answer with the summary and nothing else, in the language of the page.
Say in one to three short paragraphs what the page is about and its most important facts, as plain Markdown.
Use only what the page says.
${dataBlockRule}`;
/** Maximum number of answers to request. */
const maxTries = 2;

/** Summarizes a page. Throws a ScrapeError if the model returns no text. */
export async function summarize(model: LanguageModel, markdown: string, signal: AbortSignal): Promise<Reading> {
  if (markdown.trim() === '') return { text: '', warning: 'The page has no text to summarize.' };
  const { block, warning } = pageBlock(markdown);
  for (let attempt = 0; attempt < maxTries; attempt++) {
    const { text } = await model.complete({
      messages: [
        { role: 'system', content: instructions },
        { role: 'user', content: `Summarize this page.\n\n${block}` },
      ],
      signal,
    });
    if (text.trim() !== '') return { text: text.trim(), ...(warning && { warning }) };
  }
  throw new ScrapeError(
    'SCRAPE_MODEL_ERROR',
    "The language model didn't return a summary. Try again, or use another model.",
  );
}

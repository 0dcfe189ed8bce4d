import { dataBlockRule } from '../../../../answers/data-block.ts';
import type { JsonFormat } from '../../../../contract/scrape/formats.ts';
import {
  type LanguageModel,
  type LanguageModels,
  noModelMessage,
} from '../../../platform/language-model/language-model.ts';
import { ScrapeError } from '../scrape-errors.ts';
import type { LanguageModelStatus } from '../scrape-plan.ts';
import type { PageQuestion, PageTexts, Reading } from '../scraper-parts.ts';
import { answer } from './answer.ts';
import { askForJson } from './ask-for-json.ts';
import { joinWarnings, pageBlock } from './page-prompt.ts';

/** Maximum number of characters of each version of a page that are sent to the model. */
const maxVersionLength = 30_000;

const instructions = `You turn a page into JSON. Answer with one JSON value and nothing else: no prose, no code fence.
Take every value from the page. Use null for what the page doesn't say, or omit it if the schema doesn't allow null.
${dataBlockRule}`;

const compareInstructions = `You describe how a page changed. Answer with one JSON object and nothing else: no prose, no code fence.
Name each field after what changed, with an object of its "previous" and its "current" value. Omit what didn't change.
${dataBlockRule}`;

const summaryInstructions = `You summarize a page. Answer with the summary and nothing else, in the language of the page.
Say in one to three short paragraphs what the page is about and its most important facts, as plain Markdown.
Use only what the page says.
${dataBlockRule}`;
/** Maximum number of summaries to request. */
const maxSummaries = 2;

/** What a language model does with a page's Markdown. */
export type Extractor = ReturnType<typeof modelExtractor>;

/** Reads pages with the team's language model. All of it but the status throws a ScrapeError if none is configured. */
export function modelExtractor(models: LanguageModels) {
  const modelOf = (team: string) => {
    const model = models.find(team);
    if (!model) throw new ScrapeError('NO_LANGUAGE_MODEL', noModelMessage);
    return model;
  };
  return {
    status: (team: string): LanguageModelStatus =>
      models.find(team) ? { configured: true } : { configured: false, advice: noModelMessage },
    /** Extracts a value, by a schema or a prompt. */
    async extract(team: string, markdown: string, format: Omit<JsonFormat, 'type'>, signal: AbortSignal) {
      const { block, warning } = pageBlock(markdown);
      const task = `${describeTask(format)}\n\n${block}`;
      const extraction = await askForJson(modelOf(team), instructions, task, format.schema, signal);
      return { value: extraction.value, ...joinWarnings(extraction.warning, warning) };
    },
    summarize: (team: string, markdown: string, signal: AbortSignal) => summarize(modelOf(team), markdown, signal),
    answer: (team: string, markdown: string, question: PageQuestion, signal: AbortSignal) =>
      answer(modelOf(team), markdown, question, signal),
    /** Describes what changed between two versions of a page as a JSON value. */
    async compare(team: string, { previous, current }: PageTexts, prompt: string | undefined, signal: AbortSignal) {
      const before = pageBlock(previous, 'previous version', maxVersionLength);
      const now = pageBlock(current, 'current version', maxVersionLength);
      const task = `Task: ${prompt ?? 'Describe the changes of the page.'}\n\n${before.block}\n\n${now.block}`;
      const extraction = await askForJson(modelOf(team), compareInstructions, task, undefined, signal);
      return { value: extraction.value, ...joinWarnings(extraction.warning, now.warning ?? before.warning) };
    },
  };
}

function describeTask({ schema, prompt }: Pick<JsonFormat, 'schema' | 'prompt'>): string {
  const parts = [prompt && `Task: ${prompt}`, schema && `JSON Schema of the value: ${JSON.stringify(schema)}`];
  return parts.filter(Boolean).join('\n') || "Extract the page's content as a JSON object.";
}

/** Summarizes a page. Throws a ScrapeError if the model returns no text. */
async function summarize(model: LanguageModel, markdown: string, signal: AbortSignal): Promise<Reading> {
  if (markdown.trim() === '') return { text: '', warning: 'The page has no text to summarize.' };
  const { block, warning } = pageBlock(markdown);
  for (let attempt = 0; attempt < maxSummaries; attempt++) {
    const { text } = await model.complete({
      messages: [
        { role: 'system', content: summaryInstructions },
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

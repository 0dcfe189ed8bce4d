import type { JsonFormat } from '../../../../contract/scrape/formats.ts';
import { type JsonAnswer, readJson } from '../../../platform/language-model/json-answer.ts';
import type { ChatMessage, LanguageModel } from '../../../platform/language-model/language-model.ts';
import { ScrapeError } from '../scrape-errors.ts';

/** Maximum number of answers to request from the model for one page. */
const maxTries = 3;
const notJson = "Your answer isn't JSON";

/**
 * Asks a model for JSON. If an answer isn't JSON or doesn't match the schema, the model is asked again with the problem;
 * an answer that still doesn't match is returned with a warning.
 */
export async function askForJson(
  model: LanguageModel,
  system: string,
  task: string,
  schema: JsonFormat['schema'],
  signal: AbortSignal,
): Promise<JsonAnswer> {
  const messages: ChatMessage[] = [
    { role: 'system', content: system },
    { role: 'user', content: task },
  ];
  let best: JsonAnswer | undefined;
  for (let attempt = 0; attempt < maxTries; attempt++) {
    const { text } = await model.complete({ messages, signal });
    const found = await readJson(text, schema);
    if (found && found.warning === undefined) return found;
    best = found ?? best;
    messages.push(
      { role: 'assistant', content: text },
      { role: 'user', content: `${found?.warning ?? notJson}. Answer again with only the JSON value.` },
    );
  }
  if (best) return best;
  throw new ScrapeError('SCRAPE_JSON_ERROR', "The language model didn't return JSON. Try again, or use another model.");
}

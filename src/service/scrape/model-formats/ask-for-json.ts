import type { JsonFormat } from '../../../contract/formats.ts';
import type { ChatMessage, LanguageModel } from '../../language-model/language-model.ts';
import { schemaProblem, withoutNulls } from '../json-schema.ts';
import { ScrapeError } from '../scrape-errors.ts';
import type { Extraction } from '../scraper-parts.ts';

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
): Promise<Extraction> {
  const messages: ChatMessage[] = [
    { role: 'system', content: system },
    { role: 'user', content: task },
  ];
  let best: Extraction | undefined;
  for (let attempt = 0; attempt < maxTries; attempt++) {
    const { text } = await model.complete({ messages, signal });
    const found = read(text, schema);
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

/** Parses a model's answer and checks it against the schema; returns undefined if it isn't JSON. */
function read(text: string, schema: JsonFormat['schema']): Extraction | undefined {
  const value = parse(text);
  if (value === undefined || !schema) return value === undefined ? undefined : { value };
  const problem = schemaProblem(schema, value);
  if (problem === undefined) return { value };
  const pruned = withoutNulls(value);
  if (schemaProblem(schema, pruned) === undefined) return { value: pruned };
  return { value, warning: `The JSON doesn't match its schema: ${problem}` };
}

/** Parses JSON, which models often wrap in a code fence. */
function parse(text: string): unknown {
  const fenced = /```(?:json)?\s*([\s\S]*?)```/.exec(text)?.[1] ?? text;
  try {
    return JSON.parse(fenced.trim());
  } catch {
    return undefined;
  }
}

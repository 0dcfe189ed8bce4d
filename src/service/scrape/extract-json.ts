import type { JsonFormat } from '../../contract/formats.ts';
import { dataBlockRule } from '../language-model/data-block.ts';
import {
  type ChatMessage,
  type LanguageModel,
  type LanguageModels,
  noModelMessage,
} from '../language-model/language-model.ts';
import { schemaProblem, withoutNulls } from './json-schema.ts';
import { answer } from './model-formats/answer.ts';
import { joinWarnings, pageBlock } from './model-formats/page-prompt.ts';
import { summarize } from './model-formats/summarize.ts';
import { ScrapeError } from './scrape-errors.ts';
import type { Extraction, Extractor } from './scraper-parts.ts';

/** Maximum number of characters of each version of a page that are sent to the model. */
const maxVersionLength = 30_000;
/** Maximum number of answers to request from the model for one page. */
const maxTries = 3;
const notJson = "Your answer isn't JSON";

const instructions = `You turn a page into JSON. Answer with one JSON value and nothing else: no prose, no code fence.
Take every value from the page. Use null for what the page doesn't say, or omit it if the schema doesn't allow null.
${dataBlockRule}`;

const compareInstructions = `You describe how a page changed. Answer with one JSON object and nothing else: no prose, no code fence.
Name each field after what changed, with an object of its "previous" and its "current" value. Omit what didn't change.
${dataBlockRule}`;

/** Reads pages with the team's language model. */
export function modelExtractor(models: LanguageModels): Extractor {
  const modelOf = (team: string) => {
    const model = models.find(team);
    if (!model) throw new ScrapeError('NO_LANGUAGE_MODEL', noModelMessage);
    return model;
  };
  return {
    status: (team) => (models.find(team) ? { configured: true } : { configured: false, advice: noModelMessage }),
    async extract(team, markdown, format, signal) {
      const { block, warning } = pageBlock(markdown);
      const task = `${describeTask(format)}\n\n${block}`;
      const extraction = await askForJson(modelOf(team), instructions, task, format.schema, signal);
      return { value: extraction.value, ...joinWarnings(extraction.warning, warning) };
    },
    summarize: (team, markdown, signal) => summarize(modelOf(team), markdown, signal),
    answer: (team, markdown, question, signal) => answer(modelOf(team), markdown, question, signal),
    async compare(team, { previous, current }, prompt, signal) {
      const before = pageBlock(previous, 'previous version', maxVersionLength);
      const now = pageBlock(current, 'current version', maxVersionLength);
      const task = `Task: ${prompt ?? 'Describe the changes of the page.'}\n\n${before.block}\n\n${now.block}`;
      const extraction = await askForJson(modelOf(team), compareInstructions, task, undefined, signal);
      return { value: extraction.value, ...joinWarnings(extraction.warning, now.warning ?? before.warning) };
    },
  };
}

/**
 * Asks a model for JSON. If an answer isn't JSON or doesn't match the schema, the model is asked again with the problem;
 * an answer that still doesn't match is returned with a warning.
 */
async function askForJson(
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

function describeTask({ schema, prompt }: Pick<JsonFormat, 'schema' | 'prompt'>): string {
  const parts = [prompt && `Task: ${prompt}`, schema && `JSON Schema of the value: ${JSON.stringify(schema)}`];
  return parts.filter(Boolean).join('\n') || "Extract the page's content as a JSON object.";
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

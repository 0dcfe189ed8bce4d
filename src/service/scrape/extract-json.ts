import type { JsonFormat } from '../../contract/scrape.ts';
import { dataBlock, dataBlockRule } from '../language-model/data-block.ts';
import { type ChatMessage, type LanguageModels, noModelMessage } from '../language-model/language-model.ts';
import { schemaProblem, withoutNulls } from './json-schema.ts';
import { ScrapeError } from './scrape-errors.ts';
import type { Extraction, Extractor } from './scraper-parts.ts';

/** Maximum number of characters of a page that are sent to the model. */
const maxPageLength = 60_000;
/** Maximum number of answers to request from the model for one page. */
const maxTries = 3;
const notJson = "Your answer isn't JSON";

const instructions = `You turn a page into JSON. Answer with one JSON value and nothing else: no prose, no code fence.
Take every value from the page. Use null for what the page doesn't say, or omit it if the schema doesn't allow null.
${dataBlockRule}`;

/**
 * Extracts JSON from pages with the team's language model. If an answer isn't JSON or doesn't match the schema, the
 * model is asked again with the problem; an answer that still doesn't match is returned with a warning.
 */
export function modelExtractor(models: LanguageModels): Extractor {
  return {
    status: (team) => (models.find(team) ? { configured: true } : { configured: false, advice: noModelMessage }),
    async extract(team, markdown, format, signal) {
      const model = models.find(team);
      if (!model) throw new ScrapeError('NO_LANGUAGE_MODEL', noModelMessage);
      const messages: ChatMessage[] = [
        { role: 'system', content: instructions },
        { role: 'user', content: `${describeTask(format)}\n\n${dataBlock('page', markdown.slice(0, maxPageLength))}` },
      ];
      let best: Extraction | undefined;
      for (let attempt = 0; attempt < maxTries; attempt++) {
        const { text } = await model.complete({ messages, signal });
        const answer = read(text, format.schema);
        if (answer && answer.warning === undefined) return answer;
        best = answer ?? best;
        messages.push(
          { role: 'assistant', content: text },
          { role: 'user', content: `${answer?.warning ?? notJson}. Answer again with only the JSON value.` },
        );
      }
      if (best) return best;
      throw new ScrapeError(
        'SCRAPE_JSON_ERROR',
        "The language model didn't return JSON. Try again, or use another model.",
      );
    },
  };
}

function describeTask({ schema, prompt }: JsonFormat): string {
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

import { dataBlockRule } from '../../../../answers/data-block.ts';
import type { JsonFormat } from '../../../../contract/scrape/formats.ts';
import { type LanguageModels, noModelMessage } from '../../../platform/language-model/language-model.ts';
import { ScrapeError } from '../scrape-errors.ts';
import type { Extractor } from '../scraper-parts.ts';
import { answer } from './answer.ts';
import { askForJson } from './ask-for-json.ts';
import { joinWarnings, pageBlock } from './page-prompt.ts';
import { summarize } from './summarize.ts';

/** Maximum number of characters of each version of a page that are sent to the model. */
const maxVersionLength = 30_000;

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

function describeTask({ schema, prompt }: Pick<JsonFormat, 'schema' | 'prompt'>): string {
  const parts = [prompt && `Task: ${prompt}`, schema && `JSON Schema of the value: ${JSON.stringify(schema)}`];
  return parts.filter(Boolean).join('\n') || "Extract the page's content as a JSON object.";
}

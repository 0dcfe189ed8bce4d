import type { ScrapeDocument } from '../../../contract/scrape/scrape.ts';
import { ModelError } from '../../platform/language-model/language-model.ts';
import { type ChangeParts, type CurrentPage, trackChanges } from './changes/changes.ts';
import type { NewPageVersion } from './changes/page-versions.ts';
import { joinWarnings } from './model-formats/page-prompt.ts';
import { ScrapeError } from './scrape-errors.ts';
import type { ScrapePlan } from './scrape-plan.ts';
import type { Reading } from './scraper-parts.ts';

/** A page that was converted. */
export type ConvertedPage = Omit<CurrentPage, 'hidden'> & Partial<Pick<CurrentPage, 'hidden'>>;

/** What was found in a page beyond its content. */
export interface DerivedFormats {
  fields: Pick<ScrapeDocument, 'json' | 'summary' | 'answer' | 'highlights' | 'changeTracking'>;
  version?: NewPageVersion;
  warning?: string;
  /** Whether a language model read the page. */
  usedModel: boolean;
}

/** Makes the formats that need a language model or an earlier version of the page, one after another. */
export async function deriveFormats(
  parts: ChangeParts,
  plan: Pick<ScrapePlan, 'json' | 'summary' | 'questions' | 'changes'>,
  page: ConvertedPage,
  signal: () => AbortSignal,
): Promise<DerivedFormats> {
  const { extractor } = parts;
  const { team, hidden = false } = page;
  const fields: DerivedFormats['fields'] = {};
  const warnings: (string | undefined)[] = [];
  const content = readable(page);
  let usedModel = plan.json !== undefined || plan.summary || plan.questions.length > 0;
  if (usedModel && 'problem' in content) {
    usedModel = false;
    warnings.push(`${content.problem}, so no language model read it.`);
  } else if ('markdown' in content) {
    const { markdown } = content;
    if (plan.json) {
      const { value, warning } = await extractor.extract(team, markdown, plan.json, signal());
      fields.json = value;
      warnings.push(warning);
    }
    if (plan.summary) {
      const { text, warning } = await reading(extractor.summarize(team, markdown, signal()));
      fields.summary = text;
      warnings.push(warning);
    }
    for (const { field, question } of plan.questions) {
      const { text, warning } = await reading(extractor.answer(team, markdown, question, signal()));
      fields[field] = text;
      warnings.push(warning);
    }
  }
  if (!plan.changes) return { fields, usedModel, ...joinWarnings(...warnings) };
  const changes = await trackChanges(parts, plan.changes, { ...page, hidden }, signal);
  usedModel ||= changes.usedModel;
  if (changes.changeTracking) fields.changeTracking = changes.changeTracking;
  const { version } = changes;
  return { fields, usedModel, ...(version && { version }), ...joinWarnings(...warnings, changes.warning) };
}

/** Returns the page's text, or why it isn't the page that was asked for. */
function readable({ markdown, status }: ConvertedPage): { markdown: string } | { problem: string } {
  if (status >= 400) return { problem: `The page returned status ${status}` };
  if (markdown === undefined) return { problem: "The file wasn't converted to text" };
  return { markdown };
}

async function reading(result: Promise<Reading>): Promise<Reading> {
  try {
    return await result;
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    throw new ScrapeError('SCRAPE_MODEL_ERROR', error.message, { cause: error });
  }
}

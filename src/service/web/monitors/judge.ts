import { dataBlock, dataBlockRule } from '../../../answers/data-block.ts';
import type { MonitorCheckPage, MonitorJudgment } from '../../../contract/monitors.ts';
import { messageOf } from '../../platform/errors.ts';
import type { LanguageModels } from '../../platform/language-model/language-model.ts';
import type { Log } from '../../platform/log.ts';
import { askForJson } from '../scrape/model-formats/ask-for-json.ts';
import type { MonitorRow } from './monitor-table.ts';

/** Decides whether a change matters; undefined if nothing can decide it. */
export type Judge = (
  monitor: Pick<MonitorRow, 'team' | 'goal' | 'judge' | 'last_summary'>,
  page: MonitorCheckPage,
  text: string | undefined,
  signal: AbortSignal,
) => Promise<MonitorJudgment | undefined>;

/** Characters of a change that the model reads. */
const longestChange = 20_000;
const nullableText = { type: ['string', 'null'] };
const schema = {
  type: 'object',
  required: ['meaningful', 'confidence', 'reason'],
  properties: {
    meaningful: { type: 'boolean' },
    confidence: { enum: ['high', 'medium', 'low'] },
    reason: { type: 'string' },
    meaningfulChanges: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'reason'],
        properties: {
          type: { enum: ['added', 'removed', 'changed'] },
          before: nullableText,
          after: nullableText,
          reason: { type: 'string' },
        },
      },
    },
  },
};
const instructions = `You decide whether a change of a web page matters to a person, who says what matters. Answer with one JSON object and nothing else.
White space, request IDs, counters and other parts of the page that change by themselves don't matter unless the person says so.
${dataBlockRule}`;

/** Lets the team's language model judge by the goal of the monitor. What was there at the first check is no change. */
export function modelJudge(models: LanguageModels, log: Log): Judge {
  return async ({ team, goal, judge, last_summary }, page, text, signal) => {
    const { status, url, diff } = page;
    const model = models.find(team);
    const isChange = status === 'changed' || status === 'removed' || (status === 'new' && last_summary !== null);
    if (!model || goal === null || judge === 0 || !isChange) return undefined;
    const shown = diff?.text ?? (diff?.json === undefined ? undefined : JSON.stringify(diff.json)) ?? text ?? '';
    const block = dataBlock(status === 'changed' ? 'change' : `${status} page`, shown.slice(0, longestChange));
    const task = `What matters: ${goal}\n\nThe page ${url} is ${status}.\n\n${block}\n\nJSON Schema of the answer: ${JSON.stringify(schema)}`;
    try {
      const { value } = await askForJson(model, instructions, task, schema, signal);
      const judged = value as Partial<MonitorJudgment> | null;
      if (typeof judged?.meaningful !== 'boolean') return undefined;
      const { meaningful, confidence = 'low', reason = '', meaningfulChanges = [] } = judged;
      return { meaningful, confidence, reason, meaningfulChanges };
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ reason: messageOf(error) }, 'a change could not be judged');
      return undefined;
    }
  };
}

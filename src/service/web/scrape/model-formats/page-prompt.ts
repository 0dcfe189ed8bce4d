import { dataBlock } from '../../../../answers/data-block.ts';

/** Maximum number of characters of a page that are sent to the model. */
export const maxPageLength = 60_000;

/** Returns a page's Markdown as a block for a prompt, and a warning if it had to be cut. */
export function pageBlock(markdown: string, name = 'page', most = maxPageLength): { block: string; warning?: string } {
  const block = dataBlock(name, markdown.slice(0, most));
  if (markdown.length <= most) return { block };
  return { block, warning: `The language model read only the first ${most.toLocaleString('en-US')} characters.` };
}

/** Joins the warnings there are. */
export function joinWarnings(...warnings: (string | undefined)[]): { warning?: string } {
  const warning = [...new Set(warnings.filter(Boolean))].join(' ');
  return warning === '' ? {} : { warning };
}

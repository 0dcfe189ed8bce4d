import { describePage, type PageView } from '../../../../browsers/page/driver/driver.ts';
import { createTurn, inTurns } from '../../../../platform/async.ts';

/** A change that is longer than this part of the page is shown as the whole page. */
const mostChanged = 0.6;

/** Writes in short turns what an action changed on a page, compared with what the agent has seen of it; the whole page if it is another one. */
export async function changes(seen: Pick<PageView, 'url' | 'outline'> | undefined, view: PageView): Promise<string> {
  const { url, outline } = view;
  if (!seen || seen.url !== url) return describePage(view);
  if (seen.outline === outline) return nothing;
  const turn = createTurn();
  const before = new Map<string, number>();
  const count = (line: string) => before.set(compared(line), (before.get(compared(line)) ?? 0) + 1);
  await inTurns(seen.outline.split('\n'), count, turn);
  const added: string[] = [];
  const find = (line: string) => {
    const text = compared(line);
    const left = before.get(text) ?? 0;
    if (left > 0) before.set(text, left - 1);
    else added.push(line);
  };
  await inTurns(outline.split('\n'), find, turn);
  const gone = [...before.values()].reduce((sum, count) => sum + count, 0) - added.length;
  if (added.length === 0 && gone === 0) return focusOf(outline) ?? nothing;
  const length = added.reduce((sum, line) => sum + line.length + 1, 0);
  if (length > outline.length * mostChanged) return describePage(view);
  const removed = gone > 0 ? [`(${gone} fewer ${gone === 1 ? 'line' : 'lines'} than before)`] : [];
  return ['Changed:', ...added, ...removed].join('\n');
}

const nothing = 'Nothing on the page changed.';

/** Returns the line of the element that has the focus, when only that has changed. */
function focusOf(outline: string): string | undefined {
  const line = outline.split('\n').find((each) => focused.test(each));
  return line && `Focus: ${line.trim()}`;
}

const focused = /(\[e\d+\](?: ="[^"]*")?(?: \w+)*?) focused\b/;

/** Returns a line without its indentation and without the focus, which moves with every action. */
function compared(line: string): string {
  return line.trim().replace(focused, '$1');
}

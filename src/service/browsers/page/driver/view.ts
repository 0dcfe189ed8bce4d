import { shorten } from '../../../../contract/shorten.ts';
import { navigationHistory } from '../../chrome/navigation-history.ts';
import type { Tab } from '../tab.ts';
import { type Clickable, findClickable } from './clickable.ts';
import { PageProblem } from './element.ts';
import { type Frame, type FrameProcesses, framesOf } from './frames.ts';
import { type FrameTree, outline } from './outline.ts';
import { plain } from './plain.ts';
import type { Refs } from './refs.ts';

/** What a page shows. */
export interface PageView {
  url: string;
  title: string;
  /** Its text and elements, in indented lines. */
  outline: string;
}

/** Maximum number of characters of a title and of a URL that are shown: those of pages can have millions. */
const [titleLength, urlLength] = [300, 2000];

/** Writes a page: its title, its URL and its outline. */
export function describePage({ title, url, outline: lines }: PageView): string {
  return [`Page: ${shorten(title, titleLength)}`, shorten(url, urlLength), lines]
    .filter((line) => line !== '')
    .join('\n');
}

const noClickable: Clickable = { pointer: new Set(), listener: new Set(), focusable: new Set(), hintOf: () => '' };

/** Reads what a tab shows, without its scripts: they can neither change what is read nor notice it. */
export async function readView(tab: Tab, processes: FrameProcesses, refs: Refs): Promise<PageView> {
  const frames = await framesOf(tab, processes);
  const [top] = frames;
  if (!top) throw new PageProblem('The page has no content yet. Take another snapshot.');
  const sessions = [...new Set(frames.map(({ sessionId }) => sessionId))];
  const clickable = new Map(
    await Promise.all(sessions.map(async (id) => [id, await findClickable(tab, id).catch(() => noClickable)] as const)),
  );

  async function treeOf(frame: Frame): Promise<FrameTree> {
    const { frameId, loaderId, sessionId } = frame;
    const { nodes } = await tab.client.send('Accessibility.getFullAXTree', { frameId }, sessionId);
    const inside = new Map<number, FrameTree>();
    for (const child of frames) {
      if (child.owner?.frame !== frame) continue;
      const tree = await treeOf(child).catch(() => undefined);
      if (tree) inside.set(child.owner.backendNodeId, tree);
    }
    return {
      nodes,
      clickable: clickable.get(sessionId) ?? noClickable,
      refOf: (backendNodeId) => refs.of({ loaderId, backendNodeId }),
      frameIn: (backendNodeId) => inside.get(backendNodeId),
    };
  }

  const tree = await treeOf(top);
  const { currentIndex, entries } = await navigationHistory(tab.send);
  const { url, title } = entries[currentIndex] ?? {};
  return { url: plain(url), title: plain(title), outline: await outline(tree) };
}

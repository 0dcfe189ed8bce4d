import type { Tab } from '../tab.ts';

interface DocumentSnapshot {
  nodes: {
    parentIndex: number[];
    nodeName: number[];
    backendNodeId: number[];
    isClickable?: { index: number[] };
  };
  layout: { nodeIndex: number[]; styles: number[][] };
}

/** Elements that respond to clicks though their role doesn't say so, by `backendNodeId`. */
export interface Clickable {
  /** The pointer changes over them. */
  pointer: ReadonlySet<number>;
  /** They have a listener, which may be for what is inside them. */
  listener: ReadonlySet<number>;
}

/** Finds the elements that respond to clicks in the frames of one process. */
export async function findClickable(tab: Tab, sessionId: string): Promise<Clickable> {
  const { documents, strings } = (await tab.client.send(
    'DOMSnapshot.captureSnapshot',
    { computedStyles: ['cursor'] },
    sessionId,
  )) as unknown as { documents: DocumentSnapshot[]; strings: string[] };
  const pointerText = strings.indexOf('pointer');
  const pointer = new Set<number>();
  const listener = new Set<number>();
  for (const { nodes, layout } of documents) {
    const isWhole = (index: number) => /^(HTML|BODY|#document)$/.test(strings[nodes.nodeName[index] ?? -1] ?? '');
    const withPointer = new Set<number>();
    for (const [at, index] of layout.nodeIndex.entries())
      if (layout.styles[at]?.[0] === pointerText) withPointer.add(index);
    for (const index of withPointer) {
      // What is inside inherits the pointer.
      if (withPointer.has(nodes.parentIndex[index] ?? -1) || isWhole(index)) continue;
      const id = nodes.backendNodeId[index];
      if (id !== undefined) pointer.add(id);
    }
    for (const index of nodes.isClickable?.index ?? []) {
      const id = nodes.backendNodeId[index];
      if (id !== undefined && !isWhole(index)) listener.add(id);
    }
  }
  return { pointer, listener };
}

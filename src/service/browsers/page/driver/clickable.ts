import type { Tab } from '../tab.ts';

interface DocumentSnapshot {
  nodes: {
    parentIndex: number[];
    nodeName: number[];
    backendNodeId: number[];
    /** Names and values in turn. */
    attributes: number[][];
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
  /** They are reached with the Tab key, such as the handle of a slider. */
  focusable: ReadonlySet<number>;
  /**
   * Says what an element without a name is in the page's source, such as `.trash` or `rect rgb(255,0,0)`: often the only thing
   * that tells one icon from the next.
   */
  hintOf(backendNodeId: number, withColor: boolean): string;
}

/** Finds the elements that respond to clicks in the frames of one process. */
export async function findClickable(tab: Tab, sessionId: string): Promise<Clickable> {
  const { documents, strings } = (await tab.client.send(
    'DOMSnapshot.captureSnapshot',
    { computedStyles: ['cursor', 'background-color', 'fill'] },
    sessionId,
  )) as unknown as { documents: DocumentSnapshot[]; strings: string[] };
  const pointerText = strings.indexOf('pointer');
  const pointer = new Set<number>();
  const listener = new Set<number>();
  const focusable = new Set<number>();
  const tabIndex = strings.indexOf('tabindex');
  const hintOf = hints(documents, strings);
  for (const { nodes, layout } of documents) {
    const isWhole = (index: number) => /^(HTML|BODY|#document)$/.test(strings[nodes.nodeName[index] ?? -1] ?? '');
    for (const [index, attributes] of nodes.attributes.entries()) {
      const at = attributes.findIndex((name, place) => place % 2 === 0 && name === tabIndex);
      const id = nodes.backendNodeId[index];
      if (at === -1 || id === undefined || isWhole(index)) continue;
      if (Number(strings[attributes[at + 1] ?? -1]) >= 0) focusable.add(id);
    }
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
  return { pointer, listener, focusable, hintOf };
}

/** Elements of SVG that are shapes: their kind and color are what people see. */
const shapes = /^(rect|circle|ellipse|polygon|polyline|path|line)$/;
/** What may be in an ID or class that is shown; generated ones say nothing. */
const word = /^-?[A-Za-z][A-Za-z_-]*\d{0,3}$/;
const wordLength = 30;

function hints(documents: readonly DocumentSnapshot[], strings: readonly string[]): Clickable['hintOf'] {
  /** Indexes of documents and their nodes: made when a hint is first asked for. */
  let places: Map<number, { document: DocumentSnapshot; index: number; at?: number }> | undefined;
  return (backendNodeId, withColor) => {
    if (places === undefined) {
      places = new Map();
      for (const document of documents) {
        for (const [index, id] of document.nodes.backendNodeId.entries()) places.set(id, { document, index });
        for (const [at, index] of document.layout.nodeIndex.entries()) {
          const place = places.get(document.nodes.backendNodeId[index] ?? -1);
          if (place) place.at = at;
        }
      }
    }
    const place = places.get(backendNodeId);
    if (!place) return '';
    const { nodes, layout } = place.document;
    const attributes = nodes.attributes[place.index] ?? [];
    const attribute = (name: string) => {
      for (let at = 0; at < attributes.length; at += 2)
        if (strings[attributes[at] ?? -1] === name) return strings[attributes[at + 1] ?? -1] ?? '';
      return '';
    };
    const isWord = (text: string) => text.length <= wordLength && word.test(text);
    const tag = strings[nodes.nodeName[place.index] ?? -1] ?? '';
    const id = attribute('id');
    const classes = attribute('class').split(/\s+/, 10).filter(isWord).slice(0, 2);
    const [, background, fill] = (place.at === undefined ? undefined : layout.styles[place.at]) ?? [];
    const color = strings[(shapes.test(tag) ? fill : background) ?? -1] ?? '';
    return [
      ...(shapes.test(tag) ? [tag] : []),
      (isWord(id) ? [`#${id}`] : []).concat(classes.map((each) => `.${each}`)).join(''),
      ...(withColor && /^rgb\(/.test(color) ? [color.replaceAll(' ', '')] : []),
    ]
      .filter((part) => part !== '')
      .join(' ');
  };
}

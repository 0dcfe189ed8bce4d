/** A size in CSS pixels. */
export interface Size {
  width: number;
  height: number;
}

/** What decides the size of a page. */
export interface SizingViewer {
  readonly control: boolean;
  /** Target ID of the tab that it sees. */
  shown: string | undefined;
  /** The size that it wants, null for the page's own; undefined if it doesn't want any. */
  viewport: Size | null | undefined;
}

/** Returns the size of a tab's page: that of the viewer in control, or else of the first that wants one; null is the page's own, undefined if nobody wants any. */
export function pageSize(viewers: Iterable<SizingViewer>, targetId: string): Size | null | undefined {
  const wanting = [...viewers].filter(({ shown, viewport }) => shown === targetId && viewport !== undefined);
  return (wanting.find(({ control }) => control) ?? wanting[0])?.viewport;
}

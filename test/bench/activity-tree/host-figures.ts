/** What the part in the extension host tells the benchmark, and where. */
export interface HostFigures {
  entries: number;
  /** By the grouping of the tree, a figure a refresh. */
  groupings: Record<string, { refreshMs: number[]; rowsAsked: number[]; busyMs: number[] }>;
}

/** Begins the line that has the figures. */
export const figuresMark = 'activity-tree figures: ';
/** Environment variable with the address of the server. */
export const serverVariable = 'WEBDATA_BENCH_SERVER';
/** Refreshes that are measured, and those before them that are not. */
export const rounds = 10;
export const warmUps = 5;

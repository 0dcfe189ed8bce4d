/** The figures that the part in the extension host prints for the benchmark. */
export interface HostFigures {
  entries: number;
  /** One figure per refresh. */
  refreshMs: number[];
  rowsAsked: number[];
  busyMs: number[];
}

/** Prefix of the line with the figures. */
export const figuresMark = 'activity-tree figures: ';
/** Environment variable with the address of the server. */
export const serverVariable = 'WEBDATA_BENCH_SERVER';
/** Number of measured refreshes, and of warm-up refreshes before them. */
export const rounds = 10;
export const warmUps = 5;

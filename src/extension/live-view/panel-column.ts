/** The parts of VS Code's panels and state that are used here. */
interface Panel {
  readonly viewColumn: number | undefined;
  onDidChangeViewState(listener: () => void): unknown;
}

const stateKey = 'webdata.liveViewColumn';

/**
 * The editor column that the user moved a live view to, for the next one that opens.
 * @param isAlone whether a panel is all that the window shows, such as after the other editors were closed
 */
export function panelColumn(
  state: { get(key: string): unknown; update(key: string, value: unknown): unknown },
  isAlone: (panel: Panel) => boolean,
) {
  return {
    /** 1 or more; undefined if no live view was moved. */
    get value(): number | undefined {
      const stored = state.get(stateKey);
      return Number.isInteger(stored) && Number(stored) > 0 ? Number(stored) : undefined;
    },
    /** Remembers where a panel is moved. A panel that is the last one left gets another column number without being moved. */
    watch(panel: Panel): void {
      let last = panel.viewColumn;
      panel.onDidChangeViewState(() => {
        const { viewColumn } = panel;
        if (viewColumn === undefined || viewColumn === last) return;
        const opened = last === undefined;
        last = viewColumn;
        if (!opened && !isAlone(panel)) void state.update(stateKey, viewColumn);
      });
    },
  };
}

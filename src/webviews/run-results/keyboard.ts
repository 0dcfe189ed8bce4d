const keys = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End'];

/** Whether a key moves between runs, or expands and collapses one. */
export function isRunKey({ key, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
  return keys.includes(key) && !altKey && !ctrlKey && !metaKey && !shiftKey;
}

/** Moves the focus from the line of a run to that of another. */
export function moveBetweenRuns(list: HTMLElement, from: HTMLElement, key: string): void {
  const heads = [...list.querySelectorAll<HTMLElement>('.head')];
  const at = heads.indexOf(from);
  const target = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: heads.length - 1 }[key];
  const head = target === undefined ? undefined : heads[target];
  head?.focus();
  head?.scrollIntoView({ block: 'nearest' });
}

interface Level {
  format: number;
  start: number;
}

/** The format of a number that is a bullet, and of none. */
const bullets = new Set([23, 255]);

/** Reads the tables of lists, to know which ones are numbered. */
export function readListTables() {
  const formats = new Map<number, Level[]>();
  const lists = new Map<number, number>();
  let levels: Level[] = [];
  let id = 0;
  return {
    /** Takes a control word of one of the tables. */
    control(word: string, value: number): void {
      if (word === 'list') levels = [];
      else if (word === 'levelnfc') levels.push({ format: value, start: 1 });
      else if (word === 'levelstartat') (levels.at(-1) ?? { start: 1 }).start = value;
      else if (word === 'listid') {
        id = value;
        if (!formats.has(id)) formats.set(id, levels);
      } else if (word === 'ls') lists.set(value, id);
    },
    /** Returns the first number of a list, by its number in paragraphs, on a level; undefined if that isn't numbered. */
    firstNumber(list: number, level: number): number | undefined {
      const { format, start } = formats.get(lists.get(list) ?? Number.NaN)?.[level] ?? {};
      return format === undefined || bullets.has(format) ? undefined : start;
    },
  };
}

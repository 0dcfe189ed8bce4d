/** Reads the tables of lists, to know which ones are numbered. */
export type ListTables = ReturnType<typeof readListTables>;

/** The format of a number that is a bullet, and of none. */
const bullets = new Set([23, 255]);

export function readListTables() {
  const formats = new Map<number, number[]>();
  const lists = new Map<number, number>();
  let levels: number[] = [];
  let id = 0;
  return {
    /** Takes a control word of one of the tables. */
    control(word: string, value: number): void {
      if (word === 'list') levels = [];
      else if (word === 'levelnfc') levels.push(value);
      else if (word === 'listid') {
        id = value;
        if (!formats.has(id)) formats.set(id, levels);
      } else if (word === 'ls') lists.set(value, id);
    },
    /** Returns whether the items of a list, by its number in paragraphs, are numbered on a level. */
    isNumbered(list: number, level: number): boolean {
      const format = formats.get(lists.get(list) ?? Number.NaN)?.[level];
      return format !== undefined && !bullets.has(format);
    },
  };
}

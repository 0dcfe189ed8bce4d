import type { MissingPart } from '../../../contract/scrape/scrape.ts';

/** Something that a document lacks: its field `missing` has it, and its `warning` says it. */
export type Lack = MissingPart & { what: string };

/** Says which actions get something. @param more what it takes besides */
export function adviceOf(it: string, actions: NonNullable<Lack['actions']>, more = ''): string {
  return `To get ${it}, set actions: ${JSON.stringify(actions.map(withoutDefaults))}${more}.`;
}

export function textOf({ what, advice }: Lack): string {
  return advice == null ? what : `${what} ${advice}`;
}

/** What a text says, if there is one. */
export function said(text: string | undefined): Lack[] {
  return text ? [{ what: text }] : [];
}

/** Returns an action as a person writes it. */
function withoutDefaults({
  type,
  all,
  repeat,
  direction,
  ...rest
}: {
  type?: string | null | undefined;
  [field: string]: unknown;
}): object {
  if (type === 'click') return { type, ...rest, all: all || undefined, repeat: repeat || undefined };
  return { type, all, repeat, direction: direction === 'down' ? undefined : direction, ...rest };
}

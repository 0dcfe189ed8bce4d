import { type RawBuilder, sql } from 'kysely';

/**
 * Whose rows are left behind: those of every service, since no other uses the database; of the nodes of a fleet that are
 * gone; or of one of these nodes.
 */
export type LeftBy = 'every service' | 'gone nodes' | { node: string };

/** Returns the condition on rows with a `node` that a service or node left behind. */
export function leftBehind(by: LeftBy): RawBuilder<boolean> {
  if (by === 'every service') return sql<boolean>`1 = 1`;
  if (by === 'gone nodes') return sql<boolean>`(node IS NULL OR node NOT IN (SELECT id FROM node))`;
  return sql<boolean>`node = ${by.node}`;
}

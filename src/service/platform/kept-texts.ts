import { createHoldings } from './turns.ts';

/** Texts that something keeps in memory for a team, and can do without. */
export interface KeptTexts {
  readonly team: string;
  /** Characters. */
  readonly length: number;
  /** Monotonic milliseconds. */
  readonly lastUsed: number;
  forget(): void;
}

/**
 * Forgets texts until those of a team, and all together, have at most so many characters: first those of the team that has
 * most, which were not used for longest.
 */
export function limitKeptTexts(all: readonly KeptTexts[], mostOfTeam: number, most: number): void {
  const held = createHoldings();
  for (const { team, length } of all) held.change(team, length);
  if (held.total <= Math.min(mostOfTeam, most)) return;
  const byUse = all.toSorted((one, other) => one.lastUsed - other.lastUsed);
  for (;;) {
    const [heaviest] = byUse.toSorted((one, other) => held.of(other.team) - held.of(one.team));
    const team = heaviest?.team ?? '';
    if (held.of(team) <= mostOfTeam && held.total <= most) return;
    const oldest = byUse.find((texts) => texts.team === team && texts.length > 0);
    if (!oldest) return;
    held.change(team, -oldest.length);
    oldest.forget();
  }
}

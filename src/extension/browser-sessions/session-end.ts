/**
 * Returns how a session ended, for display: `expired`, `closed after 5 min idle`, or the server's own reason.
 * @param idleSeconds its `activityTtl`, if known
 */
export function endText(reason: string | undefined, idleSeconds: number | null | undefined): string | undefined {
  if (!reason || reason === 'ended') return undefined;
  if (/\bttl passed\b|\bexpired\b/i.test(reason)) return 'expired';
  if (!/\binactiv|\bidle\b/i.test(reason)) return reason;
  return idleSeconds ? `closed after ${shortTime(idleSeconds)} idle` : 'closed while idle';
}

/** Formats seconds in the largest whole unit: `90 s`, `5 min`, `1 h`. */
function shortTime(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

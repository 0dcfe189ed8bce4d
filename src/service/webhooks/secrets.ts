/** What deliveries are signed with. */
export interface WebhookSecrets {
  /** Undefined: deliveries of the team carry no signature. */
  of(team: string): string | undefined;
  /** Takes what a window gave; undefined goes back to what the service was started with. */
  set(team: string, secret: string | undefined): void;
}

/** @param configured the secret that the service was started with; a window's own goes before it */
export function createWebhookSecrets(configured: string | undefined): WebhookSecrets {
  const given = new Map<string, string>();
  return {
    of: (team) => given.get(team) ?? configured,
    set(team, secret) {
      if (secret === undefined) given.delete(team);
      else given.set(team, secret);
    },
  };
}

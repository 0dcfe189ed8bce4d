/** Loads what uses PostgreSQL. Throws an Error with a message to show if this service comes without its driver. */
export async function loadPostgres(): Promise<typeof import('./postgres.ts')> {
  try {
    return await import('./postgres.ts');
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'MODULE_NOT_FOUND') throw error;
    throw new Error(
      "The VS Code extension's service can't use PostgreSQL. Start the npm package web-data-service with --database instead.",
      { cause: error },
    );
  }
}

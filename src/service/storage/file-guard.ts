import { statSync } from 'node:fs';
import type { KyselyPlugin, PluginTransformQueryArgs, PluginTransformResultArgs } from 'kysely';
import { DatabaseMissing } from '../../storage/storage.ts';

/** Minimum time between two checks of the file, in milliseconds. */
const everyMs = 1000;

/**
 * Makes queries throw DatabaseMissing while a file isn't where it was opened: SQLite would keep writing to a file that
 * was removed, and everything would be lost at the end.
 */
export function fileGuard(path: string): KyselyPlugin {
  let opened: string | undefined;
  let checkedAt = performance.now();
  return {
    transformQuery({ node }: PluginTransformQueryArgs) {
      opened ??= identityOf(path);
      if (performance.now() - checkedAt >= everyMs) {
        if (identityOf(path) !== opened)
          throw new DatabaseMissing(`The database file ${path} was removed or replaced.`);
        checkedAt = performance.now();
      }
      return node;
    },
    transformResult: async ({ result }: PluginTransformResultArgs) => result,
  };
}

/** Returns what identifies a file as long as it exists; undefined if there is none. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

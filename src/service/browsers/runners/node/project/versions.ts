import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';

/** Module format names of Node.js's loader, such as `module` and `commonjs-typescript`. */
export type ModuleFormat = string | null | undefined;

/**
 * The versions of the project's modules. A module that changed, and every module that imports it, gets a new version, and so
 * is evaluated again. All others keep their version, and with it their identity and state.
 * @param required imports between files that `imported` doesn't see, because Node.js caches them
 */
export function createModuleVersions(required: () => Iterable<[importer: string, path: string]>) {
  const files = new Map<string, { signature: string; digest: string; order: number }>();
  const versions = new Map<string, number>();
  const importers = new Map<string, Set<string>>();
  const formats = new Map<string, ModuleFormat>();
  const failed = new Set<string>();
  let loads = 0;

  function hasChanged(path: string, file: { signature: string; digest: string }): boolean {
    const signature = signatureOf(path);
    if (signature === file.signature) return false;
    // Saved without changes.
    if (signature === '' || digestOf(path) !== file.digest) return true;
    file.signature = signature;
    return false;
  }

  function imported(importer: string, path: string): void {
    const known = importers.get(path);
    if (known) known.add(importer);
    else importers.set(path, new Set([importer]));
  }

  return {
    /** Returns the version of a file: 0 until it changes. */
    of: (path: string): number => versions.get(path) ?? 0,
    formatOf: (path: string): ModuleFormat => formats.get(path),
    loading(path: string): void {
      loads++;
      // The signature is first: a change in between is noticed by the next refresh.
      files.set(path, { signature: signatureOf(path), digest: digestOf(path), order: loads });
    },
    loaded: (path: string, format: ModuleFormat): void => void formats.set(path, format),
    imported,
    get loads(): number {
      return loads;
    },
    /** Marks the files that were loaded since `loads` had a value: their import failed, so they are loaded again. */
    failedSince(since: number): void {
      for (const [path, { order }] of files) if (order > since) failed.add(path);
    },
    /** Finds the files that changed on disk. Returns the paths with new versions. */
    refresh(): string[] {
      const stale = new Set(failed);
      failed.clear();
      for (const [path, file] of files) if (!stale.has(path) && hasChanged(path, file)) stale.add(path);
      if (stale.size === 0) return [];
      for (const [importer, path] of required()) imported(importer, path);
      // A set can grow while it is iterated.
      for (const path of stale) for (const importer of importers.get(path) ?? []) stale.add(importer);
      for (const path of stale) {
        versions.set(path, (versions.get(path) ?? 0) + 1);
        files.delete(path);
      }
      return [...stale];
    },
  };
}

/** Returns a text that changes when a file does, or an empty text if it doesn't exist. */
function signatureOf(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.mtimeNs} ${stats.size} ${stats.ino}` : '';
}

function digestOf(path: string): string {
  try {
    return hash('sha1', readFileSync(path));
  } catch {
    return '';
  }
}

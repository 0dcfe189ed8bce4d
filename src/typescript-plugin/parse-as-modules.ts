import type { SnippetFiles } from './snippet-files.ts';
import type { AcquireDocument, DocumentRegistry, ScriptSnapshot, SourceFile } from './tsserver.ts';

const patched = new WeakSet<object>();

/**
 * Makes a server parse snippets as modules, as if they had an `export {}`: `await` is allowed at their top level, and their
 * names are their own. The text isn't changed, so every position and edit stays right. Safe to call more than once.
 */
export function parseAsModules(registry: Partial<DocumentRegistry> | undefined, snippets: SnippetFiles): void {
  if (!registry || patched.has(registry)) return;
  patched.add(registry);
  for (const name of ['acquireDocumentWithKey', 'updateDocumentWithKey'] as const) {
    const original = registry[name];
    if (original) registry[name] = acquire(original, snippets);
  }
}

function acquire(original: AcquireDocument, snippets: SnippetFiles): AcquireDocument {
  return (fileName, path, host, key, snapshot, version, scriptKind, options) => {
    const setOriginal = typeof options === 'object' ? options.setExternalModuleIndicator : undefined;
    const own =
      typeof options !== 'object' || !setOriginal
        ? options
        : {
            ...options,
            setExternalModuleIndicator: (file: SourceFile) => {
              setOriginal(file);
              if (!file.externalModuleIndicator && snippets.isSnippet(file)) file.externalModuleIndicator = true;
            },
          };
    const text = snippets.wasRun(fileName) ? separate(snapshot) : snapshot;
    return original(fileName, path, host, key, text, version, scriptKind, own);
  };
}

const separated = new WeakMap<ScriptSnapshot, SeparateSnapshot>();

function separate(snapshot: ScriptSnapshot): ScriptSnapshot {
  const known = separated.get(snapshot) ?? new SeparateSnapshot(snapshot);
  separated.set(snapshot, known);
  return known;
}

/** A text that shares no changes with the same file before it was run, so that the file is parsed again as a snippet. */
class SeparateSnapshot implements ScriptSnapshot {
  #text: ScriptSnapshot;

  constructor(text: ScriptSnapshot) {
    this.#text = text;
  }

  getText(start: number, end: number): string {
    return this.#text.getText(start, end);
  }

  getLength(): number {
    return this.#text.getLength();
  }

  getChangeRange(old: ScriptSnapshot): unknown {
    return old instanceof SeparateSnapshot ? this.#text.getChangeRange(old.#text) : undefined;
  }
}

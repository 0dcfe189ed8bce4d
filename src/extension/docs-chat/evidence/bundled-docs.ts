import * as vscode from 'vscode';
import type { BundledDocs } from './evidence.ts';
import type { Heading } from './headings.ts';

/** Reads the docs that come with the extension, each file once. */
export function readBundledDocs(folder: vscode.Uri): BundledDocs {
  const { fs } = vscode.workspace;
  let names: Promise<ReadonlySet<string>> | undefined;
  const headings = new Map<string, Promise<readonly Heading[]>>();
  return {
    names() {
      names ??= Promise.resolve(fs.readDirectory(folder)).then(
        (entries) => new Set(entries.flatMap(([name, type]) => (isMarkdown(name, type) ? [name] : []))),
        () => new Set<string>(),
      );
      return names;
    },
    async headings(name) {
      if (!(await this.names()).has(name)) return [];
      const known = headings.get(name);
      if (known) return known;
      const read = Promise.resolve(fs.readFile(vscode.Uri.joinPath(folder, name))).then(
        async (bytes) => (await import('./headings.ts')).headingsOf(new TextDecoder().decode(bytes)),
        () => [],
      );
      headings.set(name, read);
      return read;
    },
  };
}

function isMarkdown(name: string, type: vscode.FileType): boolean {
  return type === vscode.FileType.File && name.endsWith('.md');
}

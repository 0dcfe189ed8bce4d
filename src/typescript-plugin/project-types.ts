import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SnippetFiles } from './snippet-files.ts';
import type { Program, Project, Resolution, TypeScript } from './tsserver.ts';

const inferredProject = 0;
/** The modules of Playwright that a snippet can import without installing them. */
const playwrightNames = ['playwright-core', 'playwright'];

/** Adds the declarations of a session to a project while it has snippets. A project without snippets is left as it is. */
export class ProjectTypes {
  readonly session: string;
  #folder: string;
  #project: Project;
  #ts: TypeScript;
  #files: SnippetFiles;
  #roots: string[] = [];
  #changes = 0;
  #snippet: string | undefined;
  #checked: Program | undefined;

  /** `folder` has the declarations: `session.d.ts`, `playwright-core`, `node` and `undici-types`. */
  constructor(folder: string, project: Project, files: SnippetFiles, ts: TypeScript) {
    this.#folder = folder.replaceAll('\\', '/');
    this.session = `${this.#folder}/session.d.ts`;
    this.#project = project;
    this.#files = files;
    this.#ts = ts;
    this.#patchHost();
  }

  /** Adds or removes declarations as a new program needs. Returns true if the program is out of date because of that. */
  update(program: Program): boolean {
    if (program === this.#checked) return false;
    this.#checked = program;
    const snippet = program.getSourceFiles().find((file) => this.#files.isSnippet(file));
    this.#snippet = snippet?.fileName;
    const roots = snippet ? [this.session] : [];
    // Node.js types are global: a project that has a configuration decides about them itself.
    if (snippet && this.#project.projectKind === inferredProject && !this.#hasNodeTypes(program))
      roots.push(`${this.#folder}/node/index.d.ts`);
    if (roots.join() === this.#roots.join()) return false;
    this.#roots = roots;
    this.#changes++;
    return true;
  }

  #hasNodeTypes(program: Program): boolean {
    return program
      .getTypeChecker()
      .getAmbientModules()
      .some(({ declarations = [] }) => declarations.some((node) => this.#declaresNode(node.getSourceFile().fileName)));
  }

  #declaresNode(fileName: string): boolean {
    return /\/@types\/node\/|\/bun-types\//.test(fileName) && !fileName.startsWith(this.#folder);
  }

  /** The project is the host of its language service. */
  #patchHost(): void {
    const project = this.#project;
    const { getScriptFileNames, getScriptVersion, getProjectVersion, resolveModuleNameLiterals: resolve } = project;
    project.getScriptFileNames = () => [...getScriptFileNames.call(project), ...this.#roots];
    project.getScriptVersion = (name) => {
      const version = getScriptVersion.call(project, name);
      return this.#files.wasRun(name) ? `${version}-run` : version;
    };
    project.getProjectVersion = () => `${getProjectVersion.call(project)}.${this.#files.change}.${this.#changes}`;
    if (!resolve) return;
    project.resolveModuleNameLiterals = (names, containingFile, ...rest) => {
      const resolved = resolve.call(project, names, containingFile, ...rest);
      if (this.#roots.length === 0) return resolved;
      return resolved.map((found, index) => this.#resolve(names[index]?.text ?? '', containingFile, found));
    };
  }

  #resolve(name: string, containingFile: string, found: Resolution): Resolution {
    if (containingFile === this.session) return this.#projectPlaywright() ?? this.#ours('playwright-core');
    // The folders around the extension may have another version.
    if (name === 'undici-types' && containingFile.startsWith(this.#folder)) return this.#ours('undici-types');
    if (found.resolvedModule) return found;
    return playwrightNames.includes(name) ? this.#ours('playwright-core') : found;
  }

  /** Playwright as the project has it, so that its `Page` is the `Page` of the project's own helpers. */
  #projectPlaywright(): Resolution | undefined {
    const options = this.#project.getCompilationSettings();
    for (const name of [...playwrightNames, '@playwright/test']) {
      const found = this.#ts.resolveModuleName(name, this.#snippet ?? this.session, options, this.#project);
      if (found.resolvedModule?.extension === '.d.ts') return found;
    }
    return undefined;
  }

  #ours(name: string): Resolution {
    const resolvedFileName = `${this.#folder}/${name}/index.d.ts`;
    return { resolvedModule: { resolvedFileName, extension: '.d.ts', isExternalLibraryImport: true } };
  }
}

/** Whether a folder has the declarations. */
export function hasDeclarations(folder: string): boolean {
  return existsSync(join(folder, 'session.d.ts'));
}

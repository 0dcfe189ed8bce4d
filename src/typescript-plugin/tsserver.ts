/**
 * The parts of TypeScript's server that the plugin uses. TypeScript 7 publishes no such types, and some parts are internal in
 * every version, so the plugin checks that they exist.
 */

export interface SourceFile {
  fileName: string;
  text: string;
  isDeclarationFile: boolean;
  /** Names declared at the top level, by the binder. */
  locals?: Map<string, TypeScriptSymbol>;
  /** A module's own symbol. */
  symbol?: TypeScriptSymbol;
  /** Set in a module: the node that makes it one, or `true`. */
  externalModuleIndicator?: unknown;
}

export interface TypeScriptSymbol {
  flags: number;
  declarations?: { getSourceFile(): SourceFile }[];
  /** The exports of a module, the members of a namespace. */
  exports?: Map<string, TypeScriptSymbol>;
  isReferenced?: number;
}

export interface Program {
  getSourceFiles(): readonly SourceFile[];
  getSourceFile(fileName: string): SourceFile | undefined;
  getTypeChecker(): { getAmbientModules(): TypeScriptSymbol[] };
}

export interface Diagnostic {
  code: number;
  file?: SourceFile;
  start?: number;
  length?: number;
}

export interface LanguageService {
  getProgram(): Program | undefined;
  dispose(): void;
}

export interface ScriptSnapshot {
  getText(start: number, end: number): string;
  getLength(): number;
  getChangeRange(old: ScriptSnapshot): unknown;
}

/** Either the language version alone or these options. */
export type SourceFileOptions = number | { setExternalModuleIndicator?: (file: SourceFile) => void };

export type AcquireDocument = (
  fileName: string,
  path: string,
  host: unknown,
  key: unknown,
  snapshot: ScriptSnapshot,
  version: string,
  scriptKind: unknown,
  options: SourceFileOptions,
) => SourceFile;

export interface DocumentRegistry {
  acquireDocumentWithKey: AcquireDocument;
  updateDocumentWithKey: AcquireDocument;
}

export interface Resolution {
  resolvedModule?: { resolvedFileName: string; extension: string; isExternalLibraryImport: boolean } | undefined;
}

export type ResolveModules = (
  names: readonly { text: string }[],
  containingFile: string,
  ...rest: unknown[]
) => readonly Resolution[];

export interface Project {
  /** 0 for files that no configuration file includes. */
  projectKind: number;
  projectService: { documentRegistry?: Partial<DocumentRegistry>; logger: { info(text: string): void } };
  getScriptFileNames(): string[];
  getScriptVersion(fileName: string): string;
  getProjectVersion(): string;
  getCompilationSettings(): unknown;
  resolveModuleNameLiterals?: ResolveModules;
  markAsDirty(): void;
  updateGraph(): boolean;
  refreshDiagnostics(): void;
}

/** A node of a file's syntax tree. */
export interface SyntaxNode {
  name?: SyntaxNode;
  expression?: SyntaxNode;
  /** Of an identifier. */
  escapedText?: string;
}

type IsNode = (node: SyntaxNode) => boolean;

export interface TypeScript {
  forEachChild(node: SyntaxNode, visit: (child: SyntaxNode) => void): void;
  isAwaitExpression: IsNode;
  isBindingElement: IsNode;
  isClassDeclaration: IsNode;
  isClassLike: IsNode;
  isFunctionDeclaration: IsNode;
  isFunctionLike: IsNode;
  isIdentifier: IsNode;
  isImportClause: IsNode;
  isImportSpecifier: IsNode;
  isNamespaceImport: IsNode;
  isPropertyAccessExpression: IsNode;
  isVariableDeclaration: IsNode;
  SymbolFlags: { Alias: number };
  sys: { useCaseSensitiveFileNames: boolean };
  resolveModuleName(name: string, containingFile: string, options: unknown, host: unknown): Resolution;
}

export interface PluginInfo {
  config: unknown;
  project: Project;
  languageService: LanguageService;
}

import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * A `vscode` module for tests of the extension without a window: commands, dialogs, trees and file systems, as far as
 * the tested parts use them. Import it first, and the tested modules with `import()`.
 */
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'vscode' ? { url: import.meta.url, shortCircuit: true } : next(specifier, context),
});

type Handler = (...args: never[]) => unknown;
type Progress = { message?: string; increment?: number };

type Listener = (value: never) => unknown;
/** Providers of views, by id. */
interface Views {
  trees: Map<string, { getChildren(row?: unknown): unknown; onDidChangeTreeData?: (listener: Listener) => unknown }>;
  webviews: Map<string, { resolveWebviewView(view: unknown): unknown }>;
  panels: Map<string, { deserializeWebviewPanel(panel: unknown, state: unknown): unknown }>;
}

/** What the window was asked to show, and what the user answers. */
export const fake = {
  commands: new Map<string, Handler>(),
  /** Commands that were run and belong to VS Code or another part. */
  ran: [] as { id: string; args: unknown[] }[],
  messages: [] as string[],
  progress: [] as Progress[],
  shown: [] as { uri: string; viewColumn?: number }[],
  /** The active tab. */
  tab: undefined as unknown,
  /** The columns of editors, and what is open in them. */
  groups: [] as { isActive: boolean; viewColumn: number; tabs: { input: unknown }[] }[],
  views: { trees: new Map(), webviews: new Map(), panels: new Map() } as Views,
  /** Providers of MCP servers, by id. */
  mcpProviders: new Map<string, unknown>(),
  /** Values of settings, by their whole name. */
  settings: new Map<string, unknown>(),
  clipboard: '',
  /** Returns what a dialog or list is answered with; undefined cancels it. */
  answer: (_kind: string, ..._args: unknown[]): unknown => undefined,
  /** Called with each progress report; returns whether the user cancels then. */
  cancels: (_report: Progress): boolean => false,
  /** The result of a command of VS Code or another part. */
  result: (_id: string, ..._args: unknown[]): unknown => undefined,
  run: async (id: string, ...args: unknown[]): Promise<unknown> => {
    const handler = fake.commands.get(id) as ((...all: unknown[]) => unknown) | undefined;
    if (handler) return await handler(...args);
    fake.ran.push({ id, args });
    return await fake.result(id, ...args);
  },
  reset(): void {
    fake.commands.clear();
    fake.tab = undefined;
    fake.groups.length = fake.ran.length = fake.messages.length = fake.progress.length = fake.shown.length = 0;
    fake.settings.clear();
    for (const provided of Object.values(fake.views)) provided.clear();
    fake.mcpProviders.clear();
    workspace.textDocuments = [];
    workspace.isTrusted = true;
    window.activeTextEditor = undefined;
    extensions.installed.clear();
    fake.answer = fake.result = () => undefined;
    fake.cancels = () => false;
    providers.clear();
  },
};

const providers = new Map<string, { stat(uri: Uri): unknown; readFile(uri: Uri): unknown }>();
const nothing = { dispose: () => undefined };

export class Disposable {
  #dispose: () => unknown;
  constructor(dispose: () => unknown) {
    this.#dispose = dispose;
  }
  static from(...all: { dispose(): unknown }[]): Disposable {
    return new Disposable(() => all.map((one) => one.dispose()));
  }
  dispose(): void {
    this.#dispose();
  }
}

export class EventEmitter<Value> {
  #listeners = new Set<(value: Value) => void>();
  event = (listener: (value: Value) => void) => {
    this.#listeners.add(listener);
    return new Disposable(() => this.#listeners.delete(listener));
  };
  fire(value: Value): void {
    for (const listener of this.#listeners) listener(value);
  }
  dispose(): void {
    this.#listeners.clear();
  }
}

export class Uri {
  readonly scheme: string;
  readonly path: string;
  private constructor(scheme: string, path: string) {
    this.scheme = scheme;
    this.path = path;
  }
  static from({ scheme, path = '' }: { scheme: string; path?: string }): Uri {
    return new Uri(scheme, path);
  }
  static parse(text: string): Uri {
    const [, scheme = '', path = ''] = /^([a-z-]+):(.*)$/.exec(text) ?? [];
    return new Uri(scheme, path);
  }
  static file(path: string): Uri {
    return new Uri('file', decodeURIComponent(pathToFileURL(path).pathname));
  }
  with({ fragment }: { fragment: string }): Uri {
    return new Uri(this.scheme, fragment === '' ? this.path : `${this.path}#${fragment}`);
  }
  static joinPath(base: Uri, ...segments: string[]): Uri {
    return new Uri(base.scheme, [base.path.replace(/\/$/, ''), ...segments].join('/'));
  }
  get fsPath(): string {
    return fileURLToPath(`file://${encodeURI(this.path)}`);
  }
  toString(): string {
    return `${this.scheme}:${this.path}`;
  }
}

export class FileSystemError extends Error {
  readonly code: string;
  constructor(message: string, code = 'Unknown') {
    super(message);
    this.code = code;
  }
  static FileNotFound = (what: unknown) => new FileSystemError(String(what), 'FileNotFound');
  static FileIsADirectory = (what: unknown) => new FileSystemError(String(what), 'FileIsADirectory');
  static NoPermissions = (what: unknown) => new FileSystemError(String(what), 'NoPermissions');
  static Unavailable = (what: unknown) => new FileSystemError(String(what), 'Unavailable');
}
export class Position {
  readonly line: number;
  readonly character: number;
  constructor(line: number, character: number) {
    this.line = line;
    this.character = character;
  }
  translate(lines: number, characters: number): Position {
    return new Position(this.line + lines, this.character + characters);
  }
}
export class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(start: Position, end: Position) {
    this.start = start;
    this.end = end;
  }
}
export const OverviewRulerLane = { Left: 1 };
export const TextEditorRevealType = { InCenterIfOutsideViewport: 2 };
export class TabInputWebview {
  readonly viewType: string;
  constructor(viewType: string) {
    this.viewType = viewType;
  }
}
export class TabInputText {
  readonly uri: Uri;
  constructor(uri: Uri) {
    this.uri = uri;
  }
}
export class CancellationError extends Error {}
export class MarkdownString {
  value: string;
  constructor(value = '') {
    this.value = value;
  }
  appendText(text: string): this {
    this.value += text.replace(/[\\`*_{}[\]()#+\-!~<>]/g, '\\$&');
    return this;
  }
}
export class LanguageModelTextPart {
  readonly value: string;
  constructor(value: string) {
    this.value = value;
  }
}
export class LanguageModelDataPart {
  readonly data: Uint8Array;
  readonly mimeType: string;
  constructor(data: Uint8Array, mimeType: string) {
    this.data = data;
    this.mimeType = mimeType;
  }
  static image = (data: Uint8Array, mimeType: string) => new LanguageModelDataPart(data, mimeType);
}
export class LanguageModelToolCallPart {
  readonly callId: string;
  readonly name: string;
  readonly input: object;
  constructor(callId: string, name: string, input: object) {
    this.callId = callId;
    this.name = name;
    this.input = input;
  }
}
export class LanguageModelToolResultPart {
  readonly callId: string;
  readonly content: unknown[];
  constructor(callId: string, content: unknown[]) {
    this.callId = callId;
    this.content = content;
  }
}
export class LanguageModelToolResult {
  readonly content: unknown[];
  constructor(content: unknown[]) {
    this.content = content;
  }
}
export class LanguageModelChatMessage {
  readonly role: string;
  readonly content: unknown;
  constructor(role: string, content: unknown) {
    this.role = role;
    this.content = content;
  }
  static User = (content: unknown) => new LanguageModelChatMessage('user', content);
  static Assistant = (content: unknown) => new LanguageModelChatMessage('assistant', content);
}
export const LanguageModelChatToolMode = { Auto: 1, Required: 2 };
export class ChatRequestTurn {
  readonly prompt: string;
  readonly participant: string;
  constructor(prompt: string, participant: string) {
    this.prompt = prompt;
    this.participant = participant;
  }
}
export class ChatResponseMarkdownPart {
  readonly value: MarkdownString;
  constructor(value: string) {
    this.value = new MarkdownString(value);
  }
}

export class ThemeColor {
  readonly id: string;
  constructor(id: string) {
    this.id = id;
  }
}
export class ThemeIcon {
  static readonly Folder = new ThemeIcon('folder');
  readonly id: string;
  readonly color: ThemeColor | undefined;
  constructor(id: string, color?: ThemeColor) {
    this.id = id;
    this.color = color;
  }
}
export class TreeItem {
  label: string;
  collapsibleState: number;
  constructor(label: string, collapsibleState = 0) {
    this.label = label;
    this.collapsibleState = collapsibleState;
  }
}
export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 };
export const FileType = { Unknown: 0, File: 1, Directory: 2, SymbolicLink: 64 };
export const FileChangeType = { Changed: 1, Created: 2, Deleted: 3 };
export const ProgressLocation = { SourceControl: 1, Window: 10, Notification: 15 };

export const commands = {
  registerCommand(id: string, handler: Handler) {
    fake.commands.set(id, handler);
    return new Disposable(() => fake.commands.delete(id));
  },
  executeCommand: (id: string, ...args: unknown[]) => fake.run(id, ...args),
};

/**
 * A list or input box. When it is shown, the test's answer says what the user does with it: `{ accept: items }`,
 * `{ type: text }` with Enter, `{ button }`, `{ button, item }`, or undefined to close it.
 */
function createQuickInput(kind: string) {
  const on = {
    accept: new EventEmitter<void>(),
    button: new EventEmitter<unknown>(),
    itemButton: new EventEmitter<unknown>(),
    value: new EventEmitter<string>(),
    hide: new EventEmitter<void>(),
  };
  const input = {
    value: '',
    selectedItems: [] as unknown[],
    activeItems: [] as unknown[],
    /** What the user does while it is open, if the answer is still awaited. */
    type(text: string) {
      input.value = text;
      on.value.fire(text);
    },
    accept(...items: unknown[]) {
      input.selectedItems = items;
      on.accept.fire();
    },
    onDidAccept: on.accept.event,
    onDidTriggerButton: on.button.event,
    onDidTriggerItemButton: on.itemButton.event,
    onDidChangeValue: on.value.event,
    onDidHide: on.hide.event,
    hide: () => on.hide.fire(),
    dispose: () => undefined,
    async show() {
      const done = (await fake.answer(kind, input)) as
        | { accept?: unknown[]; type?: string; button?: unknown; item?: unknown }
        | undefined;
      if (done?.type !== undefined) input.type(done.type);
      input.selectedItems = done?.accept ?? [];
      if (done === undefined) on.hide.fire();
      else if (done.item) on.itemButton.fire({ button: done.button, item: done.item });
      else if (done.button) on.button.fire(done.button);
      else on.accept.fire();
    },
  };
  return input;
}
export const QuickPickItemKind = { Separator: -1, Default: 0 };
export const QuickInputButtons = { Back: { iconPath: new ThemeIcon('arrow-left') } };
export const ConfigurationTarget = { Global: 1 };

const message = async (text: string, ...more: unknown[]) => {
  const [options] = more as { modal?: boolean; detail?: string }[];
  fake.messages.push([text, typeof options === 'object' && options?.detail].filter(Boolean).join('\n'));
  return await fake.answer('message', text, ...more);
};
export const window = {
  activeTextEditor: undefined,
  visibleTextEditors: [] as unknown[],
  onDidChangeVisibleTextEditors: () => nothing,
  createTextEditorDecorationType: () => nothing,
  onDidChangeActiveTextEditor: (listener: (editor: unknown) => void) => activated.event(listener),
  createTreeView(id: string, { treeDataProvider }: { treeDataProvider: never }) {
    fake.views.trees.set(id, treeDataProvider);
    return { visible: false, onDidChangeVisibility: () => nothing, ...nothing };
  },
  registerWebviewViewProvider(id: string, provider: never) {
    fake.views.webviews.set(id, provider);
    return nothing;
  },
  registerWebviewPanelSerializer(id: string, serializer: never) {
    fake.views.panels.set(id, serializer);
    return nothing;
  },
  showInformationMessage: message,
  showWarningMessage: message,
  showErrorMessage: message,
  setStatusBarMessage(text: string) {
    fake.messages.push(text);
    return nothing;
  },
  showQuickPick: async (items: unknown, options: unknown) => await fake.answer('pick', items, options),
  showInputBox: async (options: unknown) => await fake.answer('input', options),
  createQuickPick: () => createQuickInput('list'),
  createInputBox: () => createQuickInput('box'),
  showSaveDialog: async (options: unknown) => await fake.answer('save', options),
  showOpenDialog: async (options: unknown) => await fake.answer('open', options),
  async showTextDocument(shown: Uri | { uri: Uri }, { viewColumn }: { viewColumn?: number; selection?: Range } = {}) {
    const uri = shown instanceof Uri ? shown : shown.uri;
    fake.shown.push({ uri: uri.toString(), ...(viewColumn !== undefined && { viewColumn }) });
    return { revealRange: () => undefined };
  },
  async withProgress(_options: unknown, task: (report: unknown, token: unknown) => Promise<unknown>) {
    const cancelled = new EventEmitter<void>();
    const report = (progress: Progress) => {
      fake.progress.push(progress);
      if (fake.cancels(progress)) cancelled.fire();
    };
    return await task({ report }, { onCancellationRequested: cancelled.event });
  },
  tabGroups: {
    onDidChangeTabs: (listener: (changed: unknown) => void) => tabs.event(listener),
    onDidChangeTabGroups: () => nothing,
    get activeTabGroup() {
      return { activeTab: fake.tab };
    },
    get all() {
      return fake.groups;
    },
  },
};

export class McpStdioServerDefinition {
  readonly label: string;
  command: string;
  args: string[];
  env: Record<string, string | number | null>;
  version: string | undefined;
  constructor(label: string, command: string, args: string[] = [], env: typeof this.env = {}, version?: string) {
    this.label = label;
    this.command = command;
    this.args = args;
    this.env = env;
    this.version = version;
  }
}

type InvokeTool = (name: string, options: { input: object; toolInvocationToken: unknown }, token: unknown) => unknown;
export const lm = {
  tools: [] as { name: string; description: string; inputSchema: object }[],
  /** The tools that were registered, by name. */
  registered: new Map<string, unknown>(),
  registerTool(name: string, tool: unknown) {
    lm.registered.set(name, tool);
    return new Disposable(() => lm.registered.delete(name));
  },
  /** What the test does when a tool is called. */
  invokeTool: (async () => undefined) as InvokeTool,
  registerMcpServerDefinitionProvider(id: string, provider: unknown) {
    fake.mcpProviders.set(id, provider);
    return new Disposable(() => fake.mcpProviders.delete(id));
  },
};

export const l10n = { bundle: undefined, t: (text: string) => text };

export const env = {
  language: 'en',
  asExternalUri: async (uri: Uri) => uri,
  openExternal: async (uri: Uri) => void fake.ran.push({ id: 'open in the browser', args: [uri.toString()] }),
  clipboard: {
    readText: async () => fake.clipboard,
    async writeText(text: string) {
      fake.clipboard = text;
    },
  },
};

const changes = new EventEmitter<unknown>();
const opened = new EventEmitter<unknown>();
const configured = new EventEmitter<unknown>();
const trusted = new EventEmitter<void>();
const activated = new EventEmitter<unknown>();
const tabs = new EventEmitter<unknown>();
const extensionsChanged = new EventEmitter<void>();
export const extensions = {
  installed: new Set<string>(),
  getExtension: (id: string) => (extensions.installed.has(id) ? { id } : undefined),
  onDidChange: extensionsChanged.event,
};
export class CodeLens {
  readonly range: Range;
  readonly command: { title: string };
  constructor(range: Range, command: { title: string }) {
    this.range = range;
    this.command = command;
  }
}
export const languages = {
  registerCodeLensProvider: () => nothing,
  createDiagnosticCollection: () => ({ set: () => undefined, delete: () => undefined, dispose: () => undefined }),
};
/** Tells the listeners what has happened in the editor. */
export const happen = {
  opened: (document: unknown) => opened.fire(document),
  /** A text was typed in a line. */
  changed: (document: unknown, text: string, line = 0) => {
    const at = new Position(line, 0);
    changes.fire({ document, contentChanges: [{ range: new Range(at, at), text }] });
  },
  /** Another editor became the active one. */
  activated: (editor: unknown) => {
    window.activeTextEditor = editor as undefined;
    activated.fire(editor);
  },
  /** Another tab became the active one. */
  shown: (tab: unknown) => {
    fake.tab = tab;
    tabs.fire({ opened: [], closed: [], changed: [] });
  },
  /** An extension was installed. */
  installed: (id: string) => {
    extensions.installed.add(id);
    extensionsChanged.fire();
  },
  configured: (section: string) =>
    configured.fire({ affectsConfiguration: (asked: string) => section.startsWith(asked) }),
  trusted: () => {
    workspace.isTrusted = true;
    trusted.fire();
  },
};

export const workspace = {
  isTrusted: true,
  textDocuments: [] as unknown[],
  onDidOpenTextDocument: opened.event,
  onDidChangeTextDocument: changes.event,
  onDidCloseTextDocument: () => nothing,
  onDidChangeConfiguration: configured.event,
  onDidGrantWorkspaceTrust: trusted.event,
  getConfiguration: (section: string) => ({
    get: (name: string) => fake.settings.get(`${section}.${name}`) ?? '',
    inspect: (name: string) => ({ globalValue: fake.settings.get(`${section}.${name}`) }),
    async update(name: string, value: unknown) {
      fake.settings.set(`${section}.${name}`, value);
      configured.fire({ affectsConfiguration: (asked: string) => `${section}.${name}`.startsWith(asked) });
    },
  }),
  workspaceFolders: undefined as { uri: Uri; name: string; index: number }[] | undefined,
  registerFileSystemProvider(scheme: string, provider: { stat(uri: Uri): unknown; readFile(uri: Uri): unknown }) {
    providers.set(scheme, provider);
    return new Disposable(() => providers.delete(scheme));
  },
  fs: {
    stat: async (uri: Uri) => await (uri.scheme === 'file' ? stat(uri.fsPath) : providers.get(uri.scheme)?.stat(uri)),
    readFile: async (uri: Uri) =>
      await (uri.scheme === 'file' ? readFile(uri.fsPath) : providers.get(uri.scheme)?.readFile(uri)),
    writeFile: async (uri: Uri, content: Uint8Array) => await writeFile(uri.fsPath, content),
    delete: async (uri: Uri, options: { recursive: boolean }) => await rm(uri.fsPath, options),
    readDirectory: async (uri: Uri) =>
      (await readdir(uri.fsPath, { withFileTypes: true })).map((entry) => [
        entry.name,
        entry.isDirectory() ? FileType.Directory : FileType.File,
      ]),
    copy: async (from: Uri, to: Uri) =>
      await cp(from.fsPath, to.fsPath, { recursive: true, force: false, errorOnExist: true }),
  },
  getWorkspaceFolder: () => undefined,
  openTextDocument: async ({ language, content }: { language: string; content: string }) => ({
    uri: Uri.from({ scheme: 'untitled', path: `${language} ${content}` }),
  }),
};

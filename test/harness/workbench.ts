import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page, type Route } from 'playwright-core';
import { requireBrowser } from '../../scripts/lib/browser.mjs';
import { endWithThisProgram } from '../../scripts/lib/cleanup.mjs';
import { ROOT } from '../../scripts/lib/repository.mjs';
import { manageExtensions, startVsCodeServer, type VsCodeServer } from '../../scripts/lib/vscode-server.mjs';
import { linkBuiltInExtensions } from './built-in-extensions.ts';
import { ADDRESS_BAR_FEATURES } from './chromium.ts';
import { connectToServer } from './connect-to-server.ts';
import { patience } from './eventually.ts';
import { pictureSettings } from './pictures.ts';
import { runCommand } from './workbench-actions.ts';
import { takeFleet } from './workbench-fleet.ts';
import { isMocha, releaseHost, takeIdleHost, type WorkbenchHost } from './workbench-hosts.ts';

export interface WorkbenchOptions {
  /** Absolute path of the folder to open; none when absent. */
  folder?: string;
  /** Absolute path of a file to open in an editor. */
  file?: string;
  /** Folder of the extension under development: this repository by default, null for none. */
  extensionDevelopmentPath?: string | null;
  /** Absolute path of a module whose run() is called in the extension host; `testsExit` is its exit code. */
  extensionTestsPath?: string;
  /** Paths of VSIX files to install first, in this order. */
  packages?: readonly string[];
  /** Manifests of extensions to install, by folder name. One with a `main` gets a program that does nothing. */
  manifests?: Record<string, { main?: string; [field: string]: unknown }>;
  /** Extensions that are built into VS Code, besides those that every test gets; null for all. */
  builtInExtensions?: readonly string[] | null;
  /** Prefix of the data dir's name in the folder for temporary files. */
  dataDirPrefix?: string;
  /** Leaves Workspace Trust on, so that the folder opens in Restricted Mode. */
  restricted?: boolean;
  /**
   * As a person starts VS Code: with only the given settings and all built-in extensions, notifications show toasts and
   * Workspace Trust is on. An extension under development can't be loaded this way.
   */
  asPerson?: boolean;
  /** Called before the workbench is opened. */
  prepare?: (context: BrowserContext) => Promise<unknown>;
  /** User settings, in addition to the quiet ones below. */
  settings?: Record<string, unknown>;
  /** Settings of the machine that the extension host runs on: those with scope "machine" are read only from here. */
  machineSettings?: Record<string, unknown>;
  colorTheme?: string;
  /** Added to the environment of VS Code, the extension host and what it starts; undefined removes a variable. */
  env?: Record<string, string | undefined>;
  size?: { width: number; height: number };
  headless?: boolean;
  /** Called with each line that the tests or the extension print in the extension host. */
  onLog?: (line: string) => void;
}

export interface Workbench {
  page: Page;
  context: BrowserContext;
  /** The address of the workbench, with its token. */
  url: string;
  port: number;
  /** Process ID of VS Code's server. */
  serverPid: number;
  /** The server's data: settings, logs, the extension's global storage. Removed on close. */
  dataDir: string;
  /** The exit code of a test run, with `extensionTestsPath`. */
  testsExit: Promise<number>;
  /** The output of the server so far. */
  serverLog(): string;
  /** Reloads the window, as a person does with a command, and waits until the workbench is shown again. */
  reload(): Promise<void>;
  /** Leaves the workbench for an empty page, with the state of the window stored. */
  leave(): Promise<void>;
  /** Stops every process that the workbench started, and removes its files; its server and browser stay for the next one. */
  close(): Promise<void>;
}

/** No chat, no hints, no downloads, no automatic saves. */
const QUIET_SETTINGS = {
  'chat.disableAIFeatures': true,
  // A cursor that blinks draws the window again and again.
  'editor.cursorBlinking': 'solid',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'files.autoSave': 'off',
  'git.enabled': false,
  // Reading the libraries' types keeps a processor busy for seconds in every window.
  'js/ts.tsserver.automaticTypeAcquisition.enabled': false,
  'js/ts.tsserver.useSyntaxServer': 'always',
  'remote.autoForwardPorts': false,
  // Any other source lists the sockets of all processes every few seconds.
  'remote.autoForwardPortsSource': 'output',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'workbench.enableExperiments': false,
  // A hover covers the rows below it.
  'workbench.hover.delay': 60_000,
  'workbench.reduceMotion': 'on',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
};

/** Replaces Playwright's list, so it includes what matters of that. */
const DISABLED_FEATURES = [
  'AimEnabled',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
  ...ADDRESS_BAR_FEATURES,
];

/**
 * Opens a workbench in a browser, on a VS Code server with its own data dir. Within a run of tests, one that was closed
 * gives its server and its browser to the next that needs the same: without its data, settings and processes.
 */
export async function startWorkbench(options: WorkbenchOptions = {}): Promise<Workbench> {
  const host = (await takeIdleHost(options)) ?? (await startHost(options));
  try {
    return await openWorkbench(host, options);
  } catch (error) {
    await host.stop();
    throw error;
  }
}

async function startHost(options: WorkbenchOptions): Promise<WorkbenchHost> {
  const dataDir = mkdtempSync(join(tmpdir(), options.dataDirPrefix ?? 'webdata-vscode-'));
  const removeData = () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  const parts: { browser?: Browser; server?: VsCodeServer } = {};
  const stop = async () => {
    await parts.browser?.close().catch(() => {});
    await parts.server?.stop();
    forget();
    removeData();
  };
  const kill = () => {
    parts.server?.kill();
    removeData();
  };
  const forget = endWithThisProgram({ stop, kill });

  try {
    writeManifests(join(dataDir, 'extensions'), options.manifests ?? {});
    for (const file of options.packages ?? []) await manageExtensions(dataDir, ['--install-extension', file]);
    // Tests do not use the developer's settings for real servers.
    const fleet =
      options.extensionDevelopmentPath === null || options.env?.WEBDATA_API_KEY ? undefined : takeFleet(dataDir);
    const env = { WEBDATA_API_KEY: fleet?.apiKey, WEBDATA_API_KEYS: undefined, ...options.env };
    const server = await startVsCodeServer({
      dataDir,
      env,
      // The settings of each workbench say whether it trusts its folder.
      trusted: false,
      testDriver: !options.asPerson,
      reconnectionGrace: 5,
      ...builtInExtensions(dataDir, options),
      // It has the variables of the developer's account, which tests leave out.
      shellEnvironment: false,
    });
    parts.server = server;
    parts.browser = await launchBrowser(options.headless ?? true, server.marker);
    const context = await parts.browser.newContext();
    context.setDefaultTimeout(patience);
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.origin });
    return { dataDir, server, context, fleet, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openWorkbench(host: WorkbenchHost, options: WorkbenchOptions): Promise<Workbench> {
  const { dataDir, server, context, fleet } = host;
  writeSettings(dataDir, options);
  await options.prepare?.(context);
  const page = await context.newPage();
  await page.setViewportSize(options.size ?? { width: 1280, height: 800 });
  const { exit: testsExit } = await listenToTests(page, server, options.onLog);
  const developmentPath =
    options.extensionDevelopmentPath === undefined && !options.packages ? ROOT : options.extensionDevelopmentPath;
  const url = server.address({
    folder: options.folder,
    file: options.file,
    extensionDevelopmentPath: developmentPath ?? undefined,
    extensionTestsPath: options.extensionTestsPath,
  });
  await page.goto(url);
  await drawn(page);
  if (fleet) await connectToServer(page, fleet.url);
  const runReload = async () => {
    const loaded = page.waitForEvent('load');
    loaded.catch(() => undefined);
    // The command waits until the state of the window is stored. The browser's own reload cuts that short.
    await runCommand(page, 'Developer: Reload Window');
    await loaded;
  };
  const reload = async () => {
    await runReload();
    await drawn(page);
  };
  const leave = async () => {
    const toEmptyPage = (route: Route) => route.fulfill({ contentType: 'text/html', body: '' });
    await page.route(({ origin, pathname }) => origin === server.origin && pathname === '/', toEmptyPage);
    await runReload();
    await page.unrouteAll();
  };
  return {
    page,
    context,
    url,
    port: server.port,
    serverPid: server.pid,
    dataDir,
    testsExit,
    serverLog: server.log,
    reload,
    leave,
    close: () => releaseHost(host, options),
  };
}

function builtInExtensions(
  dataDir: string,
  { asPerson, builtInExtensions: wanted = asPerson ? null : [] }: WorkbenchOptions,
) {
  return wanted === null ? {} : { builtInExtensions: linkBuiltInExtensions(join(dataDir, 'built-in'), wanted) };
}

function writeSettings(dataDir: string, options: WorkbenchOptions) {
  const settings = {
    ...(options.asPerson ? {} : { ...QUIET_SETTINGS, 'security.workspace.trust.enabled': options.restricted === true }),
    ...pictureSettings,
    ...(options.colorTheme ? { 'workbench.colorTheme': options.colorTheme } : {}),
    ...options.settings,
  };
  for (const [folder, content] of Object.entries({ User: settings, Machine: options.machineSettings ?? {} })) {
    const file = join(dataDir, 'data', folder, 'settings.json');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(content, undefined, 2));
  }
}

function writeManifests(folder: string, manifests: NonNullable<WorkbenchOptions['manifests']>) {
  for (const [name, manifest] of Object.entries(manifests)) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, 'package.json'), JSON.stringify(manifest));
    if (!manifest.main) continue;
    mkdirSync(dirname(join(folder, name, manifest.main)), { recursive: true });
    writeFileSync(join(folder, name, manifest.main), 'exports.activate = () => {};\n');
  }
}

/** Starts Chromium, without its sandbox where it reports that it has none (as root and in some containers). */
async function launchBrowser(headless: boolean, marker: Record<string, string>): Promise<Browser> {
  const launch = (chromiumSandbox: boolean) =>
    chromium.launch({
      executablePath: requireBrowser(),
      headless,
      chromiumSandbox,
      timeout: patience,
      // Cleanup handles signals: it stops the browser together with the server.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      env: { ...process.env, ...marker },
      args: [
        ...['--disable-gpu', '--disable-quic', '--disable-component-update', '--disable-sync'],
        `--disable-features=${DISABLED_FEATURES.join(',')}`,
        // Tests look at no pixels: a quarter of them is drawn in half the time.
        ...(isMocha() && !process.env.WEBDATA_PICTURES ? ['--force-device-scale-factor=0.5'] : []),
      ],
    });
  if (process.getuid?.() === 0) return launch(false);
  return launch(true).catch((error: unknown) => {
    if (!/sandbox/i.test(String(error))) throw error;
    return launch(false);
  });
}

/** The workbench calls these two functions of the page while tests run in the extension host. */
async function listenToTests(
  page: Page,
  server: VsCodeServer,
  onLog: WorkbenchOptions['onLog'],
): Promise<{ exit: Promise<number> }> {
  const ended = Promise.withResolvers<number>();
  // An unhandled failure must not end the whole process.
  ended.promise.catch(() => {});
  await page.exposeFunction('codeAutomationLog', (_type: string, args: unknown[]) =>
    onLog?.(args.map(String).join(' ')),
  );
  await page.exposeFunction('codeAutomationExit', (code: number) => ended.resolve(code));
  page.once('crash', () => ended.reject(new Error('The page of the workbench crashed.')));
  void server.exited.then(() => ended.reject(new Error(`The VS Code server stopped. Its output:\n${server.log()}`)));
  return { exit: ended.promise };
}

async function drawn(page: Page) {
  await page.locator('.monaco-workbench .part.statusbar').waitFor();
}

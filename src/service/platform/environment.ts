/** Variables of a user's login, such as their screen, which mean nothing elsewhere. */
export const loginVariables = [
  'TEMP',
  'TMP',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_RUNTIME_DIR',
  'DBUS_SESSION_BUS_ADDRESS',
];

/** Variables that browsers and snippets may need to behave like the user's other programs. All others are withheld, above all keys. */
const inherited = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  ...loginVariables,
  'FONTCONFIG_PATH',
  // Certificate authorities, as of a proxy that has its own.
  'NODE_EXTRA_CA_CERTS',
  'NODE_USE_SYSTEM_CA',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'REQUESTS_CA_BUNDLE',
  'SystemRoot',
  'SystemDrive',
  'USERPROFILE',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'PROGRAMDATA',
  'PATHEXT',
  'COMSPEC',
  'WINDIR',
];

/** Returns the environment for a child process: standard variables, locale settings and `added`, without keys or editor internals. */
export function childEnvironment(
  added: NodeJS.ProcessEnv = {},
  from: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = {};
  for (const [given, value] of Object.entries(from)) {
    const name = platform === 'win32' ? windowsName(given) : given;
    if (inherited.includes(name) || name.startsWith('LC_')) environment[name] = value;
  }
  // A VS Code that was opened from the Dock has no locale, and programs would count bytes instead of characters.
  const hasLocale = environment.LANG ?? environment.LC_ALL ?? environment.LC_CTYPE;
  if (platform === 'darwin' && !hasLocale) environment.LC_CTYPE = 'UTF-8';
  return { ...environment, ...added };
}

/** Windows ignores the case of names: `Path` is `PATH`. With both, a child could get the wrong one. */
function windowsName(name: string): string {
  const upper = name.toUpperCase();
  return inherited.find((known) => known.toUpperCase() === upper) ?? name;
}

/** Returns the value of a variable of an environment. */
export function variableIn(
  environment: NodeJS.ProcessEnv,
  name: string,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  // Every object inherits properties, such as "constructor".
  const isIt = ([each]: [string, unknown]) =>
    each === name || (platform === 'win32' && each.toUpperCase() === name.toUpperCase());
  return Object.entries(environment).find(isIt)?.[1];
}

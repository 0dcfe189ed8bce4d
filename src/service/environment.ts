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
  'TEMP',
  'TMP',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_RUNTIME_DIR',
  'DBUS_SESSION_BUS_ADDRESS',
  'FONTCONFIG_PATH',
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
): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(from)) {
    if (inherited.includes(name) || name.startsWith('LC_')) environment[name] = value;
  }
  return { ...environment, ...added };
}

/** Variables that a browser or a snippet may need to work as the user's programs do. Everything else, keys above all, stays out. */
const passed = [
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

/** The environment of a child process: what programs need, locale settings, and what is added; no keys, no editor internals. */
export function childEnvironment(
  added: NodeJS.ProcessEnv = {},
  from: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(from)) {
    if (passed.includes(name) || name.startsWith('LC_')) environment[name] = value;
  }
  return { ...environment, ...added };
}

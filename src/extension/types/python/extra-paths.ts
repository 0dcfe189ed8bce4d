/** Sections of the settings of Python extensions that have `extraPaths`, folders to look for modules in. */
export const analysisSections = ['python.analysis', 'basedpyright.analysis', 'cursorpyright.analysis'] as const;

export interface Configuration {
  inspect(name: string): { defaultValue?: unknown; globalValue?: unknown; workspaceValue?: unknown } | undefined;
  update(name: string, value: unknown, isGlobal: boolean): PromiseLike<void>;
}

const name = 'extraPaths';

/**
 * Adds a folder to `extraPaths` of the installed Python extensions, in the user's or the workspace's settings. Returns how many
 * extensions have the setting.
 */
export async function addExtraPath(
  folder: string,
  isGlobal: boolean,
  configuration: (section: string) => Configuration,
): Promise<number> {
  let count = 0;
  for (const section of analysisSections) {
    const settings = configuration(section);
    const known = settings.inspect(name);
    // Without the extension, VS Code knows no default.
    if (known?.defaultValue === undefined) continue;
    count++;
    const value = isGlobal ? known.globalValue : (known.workspaceValue ?? known.globalValue);
    const paths = Array.isArray(value) ? value : [];
    if (!paths.includes(folder)) await settings.update(name, [...paths, folder], isGlobal);
  }
  return count;
}

/** Whether an installed Python extension has the setting. */
export function hasExtraPaths(configuration: (section: string) => Configuration): boolean {
  return analysisSections.some((section) => configuration(section).inspect(name)?.defaultValue !== undefined);
}

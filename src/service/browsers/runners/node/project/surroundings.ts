/** The working directory and environment variables of runs. */
export function createSurroundings() {
  const own = process.cwd();
  let entered = own;
  /** The values from before, of variables that are set. */
  const replaced = new Map<string, string | undefined>();

  function setEnvironment(environment: Readonly<Record<string, string>>): void {
    for (const [name, value] of replaced) {
      if (Object.hasOwn(environment, name)) continue;
      replaced.delete(name);
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
    for (const [name, value] of Object.entries(environment)) {
      if (!replaced.has(name)) replaced.set(name, process.env[name]);
      process.env[name] = value;
    }
  }

  return {
    /**
     * Changes to a directory and sets variables. Variables that aren't set anymore get the value from before.
     * A directory is entered when it differs from the previous run's, so that a snippet's own `process.chdir` lasts.
     */
    enter(directory: string | undefined = own, environment: Readonly<Record<string, string>> | undefined = {}): void {
      if (directory !== entered || !canReadDirectory()) {
        process.chdir(directory);
        entered = directory;
      }
      setEnvironment(environment);
    },
  };
}

/** Whether the working directory exists: it may have been deleted, even if there is one of the same name. */
function canReadDirectory(): boolean {
  try {
    process.cwd();
    return true;
  } catch {
    return false;
  }
}

import { join } from 'node:path';

/** Environment variable set on every process of a host to the host's folder. */
export const hostMarker = 'WEBDATA_HOST';

/** Parent folders of what hosts store. */
export interface HostFolders {
  /** Of the hosts' folders. */
  directory: string;
  /** Of the download folders. */
  downloads: string;
}

/** Returns the folders of a host. */
export function hostFolders(parents: HostFolders, id: string) {
  const directory = join(parents.directory, id);
  return {
    /** Has all but the downloads, and is deleted with the host. */
    directory,
    userDataDir: join(directory, 'profile'),
    workDir: join(directory, 'work'),
    downloads: join(parents.downloads, id),
  };
}

/** Returns the parent folders in the data directory; `sharedDir` is the folder that several services share, if any. */
export function hostParents(dataDir: string, sharedDir = dataDir): HostFolders {
  return { directory: join(dataDir, 'browsers'), downloads: join(sharedDir, 'downloads') };
}

// The package names an entry that it does not contain; its build is here.
import { CacheManager } from '@wllama/wllama/esm/index.js';

/**
 * A cache for wllama that stores nothing, because wllama gets models as files and downloads none. Its own cache refuses
 * to start without a file system, as in private windows of WebKit. There, tabd stores models in the Cache API.
 */
export function noDownloadCache(): CacheManager {
  const never = async (): Promise<never> => {
    throw new Error('wllama downloads nothing here');
  };
  return new CacheManager([
    { isSupported: () => true, read: never, write: never, getSize: never, list: never, delete: never },
  ]);
}

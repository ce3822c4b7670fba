// The package names an entry that it does not contain; its build is here.
import { CacheManager } from '@wllama/wllama/esm/index.js';

/**
 * Stands where wllama keeps what it downloads. It downloads nothing here: models come as files. Without this it
 * refuses to begin where there is no file system, as in private windows of WebKit, though models are kept in the Cache
 * API there.
 */
export function withoutDownloads(): CacheManager {
  const never = async (): Promise<never> => {
    throw new Error('wllama downloads nothing here');
  };
  return new CacheManager([
    { isSupported: () => true, read: never, write: never, getSize: never, list: never, delete: never },
  ]);
}

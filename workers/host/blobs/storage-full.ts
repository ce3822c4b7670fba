import { StorageFull } from '#core/host';

/** Browsers refuse writes past the quota of the site with this error; the core knows it as `StorageFull`. */
export function storageError(error: unknown): unknown {
  if (error instanceof DOMException && error.name === 'QuotaExceededError') {
    return new StorageFull('the storage of this site is full: delete models, or free disk space', {
      cause: error,
    });
  }
  return error;
}

/** Bytes that this site may still write, as far as the browser tells. */
export async function freeSpace(): Promise<number | undefined> {
  const { quota, usage } = (await navigator.storage?.estimate?.()) ?? {};
  return quota === undefined || usage === undefined ? undefined : Math.max(0, quota - usage);
}

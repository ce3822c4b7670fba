import { StorageFull } from '#core/host';

/** Turns a browser's error for an exceeded quota into `StorageFull`. Returns other errors as they are. */
export function storageError(error: unknown): unknown {
  if (error instanceof DOMException && error.name === 'QuotaExceededError') {
    return new StorageFull('the storage of this site is full: delete models, or free disk space', {
      cause: error,
    });
  }
  return error;
}

/** Bytes that this site may still write. Undefined where the browser does not report them. */
export async function freeSpace(): Promise<number | undefined> {
  const { quota, usage } = (await navigator.storage?.estimate?.()) ?? {};
  return quota === undefined || usage === undefined ? undefined : Math.max(0, quota - usage);
}

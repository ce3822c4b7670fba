const KEY = 'tabd.folders.closed';

/** The folders whose conversations are not shown. */
export function closedFolders(storage: Pick<Storage, 'getItem'>): Set<string> {
  try {
    return new Set(JSON.parse(storage.getItem(KEY) ?? '[]') as string[]);
  } catch {
    return new Set();
  }
}

export function storeClosedFolders(storage: Pick<Storage, 'setItem'>, closed: ReadonlySet<string>): void {
  storage.setItem(KEY, JSON.stringify([...closed]));
}

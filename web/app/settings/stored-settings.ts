const STORAGE_KEY = 'tabd-settings';

/** Settings that this browser's person has stored, by their environment names (docs/environment.md). */
export function readStoredSettings(storage: Pick<Storage, 'getItem'>): Record<string, string> {
  try {
    const stored: unknown = JSON.parse(storage.getItem(STORAGE_KEY) ?? '{}');
    if (typeof stored !== 'object' || stored === null) return {};
    const entries = Object.entries(stored).filter(([, value]) =>
      ['string', 'number', 'boolean'].includes(typeof value),
    );
    return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
  } catch {
    console.warn(`tabd: the settings stored as '${STORAGE_KEY}' are no JSON object and do not count`);
    return {};
  }
}

/** They count from the next start of the server on. */
export function storeSettings(
  storage: Pick<Storage, 'setItem' | 'removeItem'>,
  settings: Record<string, string>,
): void {
  if (Object.keys(settings).length === 0) storage.removeItem(STORAGE_KEY);
  else storage.setItem(STORAGE_KEY, JSON.stringify(settings));
}

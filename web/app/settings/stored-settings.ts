const STORAGE_KEY = 'tabd-settings';

/** The settings that this browser stores, by their names in docs/environment.md. */
export function readStoredSettings(storage: Pick<Storage, 'getItem'>): Record<string, string> {
  try {
    const stored: unknown = JSON.parse(storage.getItem(STORAGE_KEY) ?? '{}');
    if (typeof stored !== 'object' || stored === null) return {};
    const entries = Object.entries(stored).filter(([, value]) =>
      ['string', 'number', 'boolean'].includes(typeof value),
    );
    return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
  } catch {
    console.warn(`tabd: the settings stored as '${STORAGE_KEY}' are not a JSON object and are ignored`);
    return {};
  }
}

/** Stores the settings. They apply from the next start of the server. */
export function storeSettings(
  storage: Pick<Storage, 'setItem' | 'removeItem'>,
  settings: Record<string, string>,
): void {
  if (Object.keys(settings).length === 0) storage.removeItem(STORAGE_KEY);
  else storage.setItem(STORAGE_KEY, JSON.stringify(settings));
}

/** The user's choice between the light and the dark look. Without one, the look follows the system. */

export const COLOR_SCHEMES = ['system', 'light', 'dark'] as const;
export type ColorScheme = (typeof COLOR_SCHEMES)[number];

const KEY = 'tabd.theme';

export function readColorScheme(storage: Pick<Storage, 'getItem'> = localStorage): ColorScheme {
  const stored = storage.getItem(KEY);
  return COLOR_SCHEMES.find((scheme) => scheme === stored) ?? 'system';
}

/** Applies the scheme to the document. `index.html` has the styles. */
export function applyColorScheme(scheme: ColorScheme, root: HTMLElement = document.documentElement): void {
  if (scheme === 'system') delete root.dataset.theme;
  else root.dataset.theme = scheme;
}

export function storeColorScheme(
  scheme: ColorScheme,
  storage: Pick<Storage, 'setItem' | 'removeItem'> = localStorage,
): void {
  if (scheme === 'system') storage.removeItem(KEY);
  else storage.setItem(KEY, scheme);
}

/** Whether the page is dark now. */
export function isDark(root: HTMLElement = document.documentElement): boolean {
  const { theme } = root.dataset;
  return theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
}

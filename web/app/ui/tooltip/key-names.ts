import { commonStrings } from '../../strings/common.ts';

/** The words on the keys of a shortcut in the form of `aria-keyshortcuts`, such as `Control+Shift+O`. */
export function keyNames(shortcut: string): string[] {
  const names: Record<string, string> = commonStrings.keys;
  return shortcut
    .split('+')
    .filter((key) => key !== '')
    .map((key) => names[key] ?? key);
}

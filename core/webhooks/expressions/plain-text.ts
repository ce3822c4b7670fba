/** How JSON values read inside of a text. */
export function plainText(value: unknown): string {
  if (value === undefined || value === null || Number.isNaN(value)) return '';
  return String(value);
}

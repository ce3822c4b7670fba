/** A JSON value as part of a text: empty for undefined, null and NaN. */
export function plainText(value: unknown): string {
  if (value === undefined || value === null || Number.isNaN(value)) return '';
  return String(value);
}

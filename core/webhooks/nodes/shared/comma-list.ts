/** `a, b` as a list, without empty parts. A list stays one. */
export function commaList(value: unknown): string[] {
  const parts = Array.isArray(value) ? value.map(String) : String(value ?? '').split(',');
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

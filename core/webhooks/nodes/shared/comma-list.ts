/** The parts of a text such as `a, b`, without the empty ones. The elements of a list are trimmed in the same way. */
export function commaList(value: unknown): string[] {
  const parts = Array.isArray(value) ? value.map(String) : String(value ?? '').split(',');
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

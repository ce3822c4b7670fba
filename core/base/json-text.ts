/** A JSON value as text: objects and arrays as JSON, others by `String`, which throws for some objects. */
export function jsonText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** What was thrown, in words for people. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

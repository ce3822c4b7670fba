/** The message of anything thrown: of an `Error` its message, otherwise the value as text. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * An error with the status and text that an API documents. Handlers throw it; the API's `errors.ts` prints it in the
 * dialect of the path.
 */
export class ApiError extends Error {
  override name = 'ApiError';
  constructor(
    readonly status: number,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

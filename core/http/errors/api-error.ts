/**
 * A failure with the status and text that the API documents. Thrown anywhere in the core, printed by the dialect of
 * the path that was asked.
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

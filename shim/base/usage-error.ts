/** The command line is invalid, or requests something impossible. The message says what to do instead. */
export class UsageError extends Error {
  override name = 'UsageError';
}

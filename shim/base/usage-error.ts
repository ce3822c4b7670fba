/** The command line cannot be understood, or asks for what cannot be; the message says what to do instead. */
export class UsageError extends Error {
  override name = 'UsageError';
}

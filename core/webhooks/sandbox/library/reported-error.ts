/** An error that the user sees. Other TypeErrors make an expression undefined instead. */
export class ReportedError extends Error {
  constructor(
    message: string,
    readonly description?: string,
  ) {
    super(message);
  }
}

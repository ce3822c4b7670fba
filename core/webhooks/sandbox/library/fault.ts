/** An error that is told to the person, unlike a TypeError, which makes an expression undefined. */
export class Fault extends Error {
  constructor(
    message: string,
    readonly description?: string,
  ) {
    super(message);
  }
}

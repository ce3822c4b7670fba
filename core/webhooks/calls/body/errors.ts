/** Bodies that no item can be made of. */

/** The body is not what its Content-Type says. `hint`: what the parser found. */
export class BodyUnreadable extends Error {
  override name = 'BodyUnreadable';
  constructor(
    readonly hint: string,
    readonly status = 422,
    message = 'Failed to parse request body',
  ) {
    super(message);
  }
}

export class BodyTooLarge extends Error {
  override name = 'BodyTooLarge';
  /** `limit`: bytes. */
  constructor(limit: number, what: 'body' | 'form' = 'body') {
    super(
      what === 'form'
        ? 'The submitted form data exceeds the allowed size.'
        : `The request body is too large: at most ${Number((limit / 1024 / 1024).toFixed(2))} MiB are accepted here`,
    );
  }
}

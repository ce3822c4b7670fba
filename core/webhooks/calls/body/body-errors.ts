import { CallError } from '../../errors.ts';

/** The body cannot be parsed. */
export class BodyUnreadable extends CallError {
  override name = 'BodyUnreadable';
  /** @param hint the parser's message; a form's error has none in the response */
  constructor(hint: string, status = 422, message = 'Failed to parse request body') {
    super(status, message, status === 400 ? {} : { hint });
  }
}

export class BodyTooLarge extends CallError {
  override name = 'BodyTooLarge';
  /** @param limit bytes */
  constructor(limit: number, kind: 'body' | 'form' = 'body') {
    super(
      413,
      kind === 'form'
        ? 'The submitted form data exceeds the allowed size.'
        : `The request body is too large: at most ${Number((limit / 1024 / 1024).toFixed(2))} MiB are accepted here`,
    );
  }
}

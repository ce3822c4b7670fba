import { ApiError } from '#core/http';

/** An error of one field of a request, as OpenAI's API describes it. */
export class FieldError extends ApiError {
  /**
   * @param param the field's name
   * @param code a word for programs. Undefined: there is none
   */
  constructor(
    status: number,
    message: string,
    readonly param: string,
    readonly code: string | undefined,
    options?: ErrorOptions,
  ) {
    super(status, message, options);
  }
}

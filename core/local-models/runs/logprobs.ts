/** Log probabilities of tokens, in requests and answers of the native API and of OpenAI's. */
import { ApiError, omitIfEmpty } from '#core/http';
import type { Logprob } from './events.ts';

/** @throws ApiError 400 unless the count is 0 to 20 */
export function checkTopLogprobs(count: number): void {
  if (count < 0 || count > 20) throw new ApiError(400, 'top_logprobs must be between 0 and 20');
}

/** Undefined when there are none: the field is then left out. */
export function wireLogprobs(logprobs: Logprob[] | undefined): object[] | undefined {
  return omitIfEmpty(
    logprobs?.map(({ token, logprob, bytes, top }) => ({
      token,
      logprob,
      bytes: omitIfEmpty(bytes),
      top_logprobs: omitIfEmpty(
        top.map((other) => ({ token: other.token, logprob: other.logprob, bytes: omitIfEmpty(other.bytes) })),
      ),
    })),
  );
}

import { ModelCorrupt } from '#core/host';
import { ApiError } from '#core/http';

/**
 * Waits for a result of files that the request named: a damaged file is then the request's fault.
 * @throws ApiError 400 in place of ModelCorrupt
 */
export async function orBadRequest<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof ModelCorrupt)) throw error;
    throw new ApiError(400, error.message, { cause: error });
  }
}

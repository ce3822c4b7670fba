import { ApiError, type RouteCall } from '#core/http';
import type { ApiKeys } from '../credentials/api-keys.ts';

export const KEY_HEADER = 'x-n8n-api-key';

/**
 * Checks the key of a call. In a tab any value of the header is accepted. Scripts of this origin could read a stored
 * secret anyway, and navigations and forms of other sites cannot send the header.
 * @throws ApiError 401
 */
export async function authorize(
  { request, context: { caller } }: Pick<RouteCall, 'request' | 'context'>,
  keys: ApiKeys,
): Promise<void> {
  if (caller === 'operator') return;
  const key = request.headers.get(KEY_HEADER);
  if (key && (caller === 'page' || (await keys.isValid(key)))) return;
  throw new ApiError(401, 'Unauthorized');
}

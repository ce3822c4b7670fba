import { ApiError, type CallContext } from '#core/http';
import type { ApiKeys } from '../credentials/api-keys.ts';

export const KEY_HEADER = 'x-n8n-api-key';

/**
 * Throws `ApiError` 401. In a tab the header has to be there, but its value does not matter: script of this origin can
 * read the tab's storage itself, so no secret could be kept from it; what must not get in are visits and forms that
 * other sites send here, and those cannot carry a header.
 */
export async function authorise(request: Request, { caller }: CallContext, keys: ApiKeys): Promise<void> {
  if (caller === 'operator') return;
  const key = request.headers.get(KEY_HEADER);
  if (key && (caller === 'page' || (await keys.admits(key)))) return;
  throw new ApiError(401, 'Unauthorized');
}

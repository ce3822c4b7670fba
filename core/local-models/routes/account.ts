/** Routes that need an account or Ollama's cloud. They answer as a server that has neither. */
import { ApiError, type RouteCall, readBodyBytes } from '#core/http';

const MAX_BODY = 1024 * 1024;

/** POST /api/me */
export function getAccount(): never {
  throw new ApiError(503, 'account unavailable');
}

/** POST /api/signout and DELETE /api/user/keys/:encodedKey: Ollama's error when no account is signed in */
export function signOut(): never {
  throw new ApiError(500, 'there was an error signing out');
}

/**
 * POST /api/experimental/web_search and web_fetch
 * @param feature completes the error text
 */
export const cloudOnly =
  (feature: string) =>
  async (_services: unknown, { request, signal }: RouteCall): Promise<never> => {
    if ((await readBodyBytes(request, MAX_BODY, signal)).length === 0)
      throw new ApiError(400, 'missing request body');
    throw new ApiError(403, `ollama cloud is disabled: ${feature} is unavailable`);
  };

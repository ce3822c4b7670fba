/** What needs an account or a cloud: answered as a server that has neither. */
import { ApiError, type RouteCall, readBodyBytes } from '#core/http';

const MAX_BODY = 1024 * 1024;

/** POST /api/me */
export function me(): never {
  throw new ApiError(503, 'account unavailable');
}

/** POST /api/signout and DELETE /api/user/keys/:encodedKey: nobody is signed in. */
export function signout(): never {
  throw new ApiError(500, 'there was an error signing out');
}

/** POST /api/experimental/web_search, web_fetch. `what` completes the refusal. */
export const cloudOnly =
  (what: string) =>
  async (_models: unknown, { request, signal }: RouteCall): Promise<never> => {
    if ((await readBodyBytes(request, MAX_BODY, signal)).length === 0)
      throw new ApiError(400, 'missing request body');
    throw new ApiError(403, `ollama cloud is disabled: ${what} is unavailable`);
  };

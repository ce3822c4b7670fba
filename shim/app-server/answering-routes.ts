import type { Answerer, Answering } from '../bridge/answering.ts';

/** Who answers the ports: told to everybody, changed by the app's own page. */
export const ANSWERING_PATH = '/tabd/answering';

/**
 * `GET`: `{ by: 'node' | 'tab', connected }`. `POST { by }` changes it and tells, for a tab, the link that connects one
 * and its token. Only script of the app's own origin may: browsers say so, and let no page say it falsely. Programs say
 * what they like: those of other computers may not.
 */
export function answeringRoutes(answering: () => Answering | undefined, changed: (by: Answerer) => void) {
  return (request: Request, path: string, here: boolean): Promise<Response> | undefined => {
    if (path !== ANSWERING_PATH) return undefined;
    return answer(request, here, answering(), changed);
  };
}

async function answer(
  request: Request,
  here: boolean,
  answering: Answering | undefined,
  changed: (by: Answerer) => void,
): Promise<Response> {
  const headers = { 'cache-control': 'no-store' };
  const failed = (status: number, error: string) => Response.json({ error }, { status, headers });
  if (!answering) return failed(503, 'tabd is starting');
  const state = () => ({ by: answering.by, connected: answering.bridge.connected });
  if (request.method === 'GET') return Response.json(state(), { headers });
  if (request.method !== 'POST') return failed(405, 'GET or POST');
  if (!here) {
    return failed(403, 'only the page on the computer of this tabd may switch: or start it with --via-tab');
  }
  // From another computer the page has another origin, and is not thereby the owner of the ports.
  const isOwner = request.headers.get('origin') === answering.bridge.origin;
  if (request.headers.get('sec-fetch-site') !== 'same-origin' || !isOwner) {
    return failed(403, 'this is for the page of this tabd');
  }
  const { by } = ((await request.json().catch(() => ({}))) ?? {}) as { by?: unknown };
  if (by !== 'node' && by !== 'tab') return failed(400, "by is 'node' or 'tab'");
  answering.by = by;
  changed(by);
  const { link, pairing } = answering.bridge;
  return Response.json({ ...state(), ...(by === 'tab' && { link, token: pairing.token }) }, { headers });
}

import type { ServedBy, SwitchableServer } from '../bridge/switchable-server.ts';

/** Reports who answers the ports, to every client. Only the app's own page may change it. */
export const ANSWERING_PATH = '/tabd/answering';

/**
 * `GET` answers `{ by: 'node' | 'tab', connected }`. `POST { by }` changes it; for a tab the response also contains the
 * link that connects a tab, and its token. Only script of the app's own origin may change it. Browsers state that
 * origin and let no page forge it. Other programs can send any header, so requests from other computers are refused.
 */
export function answeringRoutes(
  answering: () => SwitchableServer | undefined,
  changed: (by: ServedBy) => void,
) {
  return (request: Request, path: string, fromThisComputer: boolean): Promise<Response> | undefined => {
    if (path !== ANSWERING_PATH) return undefined;
    return answer(request, fromThisComputer, answering(), changed);
  };
}

async function answer(
  request: Request,
  fromThisComputer: boolean,
  answering: SwitchableServer | undefined,
  changed: (by: ServedBy) => void,
): Promise<Response> {
  const headers = { 'cache-control': 'no-store' };
  const failed = (status: number, error: string) => Response.json({ error }, { status, headers });
  if (!answering) return failed(503, 'tabd is starting');
  const state = () => ({ by: answering.by, connected: answering.bridge.connected });
  if (request.method === 'GET') return Response.json(state(), { headers });
  if (request.method !== 'POST') return failed(405, 'GET or POST');
  if (!fromThisComputer) {
    return failed(403, 'only the page on the computer of this tabd may switch: or start it with --via-tab');
  }
  // A page that was opened on another computer has another origin. Its user does not own these ports.
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

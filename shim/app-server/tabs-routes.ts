import { TabRefusal } from '../bridge/paired-tabs.ts';
import type { TabBridge } from '../bridge/tab-bridge.ts';
import { isOwnPage } from './own-page.ts';
import { failed, readSmallJson, sent } from './small-json.ts';

/** The path of the browsers that may answer the ports. */
export const TABS_PATH = '/tabd/tabs';

/** Bytes of a body: a name at most. */
const MAX_BODY = 10_000;

export interface TabsRoutesOptions {
  bridge(): TabBridge | undefined;
  /** Whether the request comes from the command line of this home. */
  isCommandLine(request: Request): boolean;
}

/**
 * - `GET /tabd/tabs` lists all paired browsers as `{ tabs }`.
 * - `POST /tabd/tabs/link` answers with a link that connects one browser: `{ link, outside, expires_at }`. `outside` has it
 *   for other devices, at each address that they reach.
 * - `POST /tabd/tabs/ID` with `{ name }` renames a browser, with `{ home: true }` makes it the home.
 * - `DELETE /tabd/tabs/ID` revokes it.
 *
 * `ID` is an id or a name. The command line and the page of this computer may use them, as they may switch the ports.
 */
export function tabsRoutes(options: TabsRoutesOptions) {
  return (request: Request, path: string, fromThisComputer: boolean): Promise<Response> | undefined => {
    if (path !== TABS_PATH && !path.startsWith(`${TABS_PATH}/`)) return undefined;
    return answer(options, request, path.slice(TABS_PATH.length + 1), fromThisComputer);
  };
}

async function answer(
  { bridge: find, isCommandLine }: TabsRoutesOptions,
  request: Request,
  id: string,
  fromThisComputer: boolean,
): Promise<Response> {
  const bridge = find();
  if (!bridge) return failed(503, 'tabd is starting');
  if (!isCommandLine(request) && !(fromThisComputer && isOwnPage(request, bridge.origin))) {
    return failed(403, 'this is for the page of this tabd, on its computer');
  }
  try {
    const name = decodeURIComponent(id);
    switch (`${request.method} ${id === '' ? 'list' : name === 'link' ? 'link' : 'tab'}`) {
      case 'GET list':
        return sent({ tabs: bridge.describe() });
      case 'POST link':
        return sent(linkOf(bridge));
      case 'POST tab':
        return sent(await changeTab(bridge, name, request));
      case 'DELETE tab':
        return sent({ revoked: bridge.revoke(name).id });
      default:
        return failed(405, 'GET, POST or DELETE, as the documentation says');
    }
  } catch (error) {
    if (error instanceof TabRefusal) return failed(error.status, error.message);
    if (error instanceof URIError) return failed(400, 'the path is not valid');
    throw error;
  }
}

function linkOf(bridge: TabBridge) {
  const { link, linksFromOutside, pairing } = bridge;
  const expires = pairing.expiry(pairing.token) ?? Date.now();
  return { link, outside: linksFromOutside, expires_at: new Date(expires).toISOString() };
}

async function changeTab(bridge: TabBridge, id: string, request: Request): Promise<object> {
  const { tabs } = bridge.pairing;
  const body = await readSmallJson(request, MAX_BODY);
  if (typeof body.name === 'string') tabs.rename(id, body.name);
  else if (body.home === true) tabs.chooseHome(id);
  else throw new TabRefusal(400, "send { name: 'Laptop' } or { home: true }");
  return { tabs: bridge.describe() };
}

/** How the paths of webhook addresses begin: as settings say on a port of its own, as usual on a page's origin. */
import type { Host } from '#core/host';
import { textSetting } from '#core/settings';

/** Without slashes around them. */
export interface Endpoints {
  webhook: string;
  test: string;
  waiting: string;
}

export const DEFAULT_ENDPOINTS: Endpoints = {
  webhook: 'webhook',
  test: 'webhook-test',
  waiting: 'webhook-waiting',
};

const SETTINGS: Record<keyof Endpoints, string> = {
  webhook: 'N8N_ENDPOINT_WEBHOOK',
  test: 'N8N_ENDPOINT_WEBHOOK_TEST',
  waiting: 'N8N_ENDPOINT_WEBHOOK_WAIT',
};

const PATH = /^[\w.~-]+(\/[\w.~-]+)*$/;
/** Paths of this server that are something else. */
const TAKEN = /^(api|rest|healthz|form|form-test|form-waiting)(\/|$)|(^|\/)\.\.?(\/|$)/i;

/**
 * `refused`: what a setting says that cannot be, in words. A page's service worker has to know at once which requests
 * are its own: there the usual names stay.
 */
export function readEndpoints(host: Pick<Host, 'setting' | 'capabilities'>): {
  endpoints: Endpoints;
  refused: string[];
} {
  const endpoints = { ...DEFAULT_ENDPOINTS };
  const refused: string[] = [];
  if (!host.capabilities.ownsPorts) return { endpoints, refused };
  for (const [kind, name] of Object.entries(SETTINGS) as [keyof Endpoints, string][]) {
    const given = textSetting(host, name).replace(/^\/+|\/+$/g, '');
    if (given === '') continue;
    if (PATH.test(given) && !TAKEN.test(given)) endpoints[kind] = given;
    else
      refused.push(
        `${name}: '${given}' cannot be the beginning of a path here, '${endpoints[kind]}' is used`,
      );
  }
  const all = Object.values(endpoints).map((one) => one.toLowerCase());
  const clash = all.find((one, at) => all.some((other, place) => place !== at && isBelow(other, one)));
  if (clash === undefined) return { endpoints, refused };
  refused.push(
    `${Object.values(SETTINGS).join(', ')}: one of them begins with '${clash}' too, the usual names are used`,
  );
  return { endpoints: { ...DEFAULT_ENDPOINTS }, refused };
}

const isBelow = (path: string, other: string) => path === other || path.startsWith(`${other}/`);

/** The first parts of webhook addresses. */
import type { Host } from '#core/host';
import { textSetting } from '#core/settings';

/** Path prefixes, without slashes around them. */
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
/** Paths of other parts of this server. */
const RESERVED = /^(api|rest|healthz|form|form-test|form-waiting)(\/|$)|(^|\/)\.\.?(\/|$)/i;

/**
 * Reads the prefixes from settings. On a page's origin the defaults apply: its service worker must recognize webhooks
 * before it can read a setting.
 * @returns `refused`: messages about settings that cannot apply
 */
export function readEndpoints(host: Pick<Host, 'setting' | 'capabilities'>): {
  endpoints: Endpoints;
  refused: string[];
} {
  const endpoints = { ...DEFAULT_ENDPOINTS };
  const refused: string[] = [];
  if (!host.capabilities.ownsPorts) return { endpoints, refused };
  for (const [kind, name] of Object.entries(SETTINGS) as [keyof Endpoints, string][]) {
    const prefix = textSetting(host, name).replace(/^\/+|\/+$/g, '');
    if (prefix === '') continue;
    if (PATH.test(prefix) && !RESERVED.test(prefix)) endpoints[kind] = prefix;
    else {
      refused.push(
        `${name}: '${prefix}' cannot be the beginning of a path here, '${endpoints[kind]}' is used`,
      );
    }
  }
  const overlap = findOverlap(Object.values(endpoints).map((prefix) => prefix.toLowerCase()));
  if (overlap === undefined) return { endpoints, refused };
  refused.push(
    `${Object.values(SETTINGS).join(', ')}: another one of them begins with '${overlap}' too, the defaults are used`,
  );
  return { endpoints: { ...DEFAULT_ENDPOINTS }, refused };
}

/** The first prefix that another one equals or begins with. */
function findOverlap(prefixes: string[]): string | undefined {
  return prefixes.find((prefix, index) =>
    prefixes.some(
      (other, otherIndex) => otherIndex !== index && (other === prefix || other.startsWith(`${prefix}/`)),
    ),
  );
}

import { type ApiName, apiOfRequest, withoutPrefix } from '#core/http';
import type { Permission } from './messages.ts';

/** What uses an API without changing the installation. Everything else that an API documents needs `manage`. */
const IS_USE: Record<ApiName, (method: string, path: string) => boolean> = {
  'local-models': (_, path) =>
    /^\/(api\/(version|status|tags|show|ps|chat|generate|embed|embeddings)|v1\/.+)$/.test(path),
  'image-workflows': (method, path) =>
    method === 'GET' || method === 'HEAD' || /^(\/api)?\/(prompt|upload\/(image|mask))$/.test(path),
  webhooks: (_, path) => /^\/(webhook|form)(-test|-waiting)?\//i.test(path),
};

export type PermissionResult = { allowed: true } | { allowed: false; api: ApiName; reason: string };

/** Whether a request to `address` is among what was granted; `apis` are those that this site has switched on. */
export function checkPermission(
  method: string,
  address: URL,
  { apis, manage }: Permission,
  site: { origin: string; apis: readonly ApiName[]; prefix: string },
): PermissionResult {
  const { pathname } = address;
  const api =
    address.origin === site.origin ? apiOfRequest(method, pathname, site.apis, site.prefix) : undefined;
  // What is the site's own is none of the guest's business.
  if (!api) return { allowed: false, api: 'local-models', reason: `${pathname} is no path of tabd` };
  if (!apis.includes(api)) return { allowed: false, api, reason: `this page may not use ${api}` };
  const path = (withoutPrefix(pathname, site.prefix) ?? pathname).replace(/(.)\/$/, '$1');
  if (manage || IS_USE[api](method, path)) return { allowed: true };
  return {
    allowed: false,
    api,
    reason: `this page may use ${api}, but not change anything: ${method} ${path}`,
  };
}

import { type ApiName, apiOfRequest, withoutPrefix } from '#core/http';
import type { Permission } from './messages.ts';

/** Whether a request only uses an API. All other documented requests change the installation and need `manage`. */
const IS_USE: Record<ApiName, (method: string, path: string) => boolean> = {
  'local-models': (_, path) =>
    /^\/(api\/(version|status|tags|show|ps|chat|generate|embed|embeddings)|v1\/.+)$/.test(path),
  'image-workflows': (method, path) =>
    method === 'GET' || method === 'HEAD' || /^(\/api)?\/(prompt|upload\/(image|mask))$/.test(path),
  webhooks: (_, path) => /^\/(webhook|form)(-test|-waiting)?\//i.test(path),
};

export type PermissionResult = { allowed: true } | { allowed: false; api: ApiName; reason: string };

/** Checks whether a permission covers a request to `address`. `site.apis` are the APIs that the site shares. */
export function checkPermission(
  method: string,
  address: URL,
  { apis, manage }: Permission,
  site: { origin: string; apis: readonly ApiName[]; prefix: string },
): PermissionResult {
  const { pathname } = address;
  const api =
    address.origin === site.origin ? apiOfRequest(method, pathname, site.apis, site.prefix) : undefined;
  // The site's own paths are not shared.
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

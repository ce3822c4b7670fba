import type { ApiName } from '../apis.ts';

const NATIVE =
  /^\/api\/(version|status|tags|show|ps|chat|generate|embed|embeddings|create|copy|delete|pull|push|me|signout)$/;
const DIALECT =
  /^\/v1\/(chat\/completions|completions|embeddings|responses|messages|audio\/transcriptions|models)$/;
const IMAGES =
  /^\/(prompt|queue|history|interrupt|free|view|view_metadata|upload|system_stats|object_info|embeddings|features|models|ws|extensions|jobs|settings|users|userdata|internal)(\/|$)/;
const CONTROL = /^\/api\/v1\/(workflows|executions|credentials|keys|variables|tags|users)(\/|$)/;
const HOOKS = /^\/((?:webhook|form)(?:-test|-waiting)?)(\/|$)/i;

/**
 * The route that a request is for, as measurements name it: one of a few dozen texts whatever is asked, without what
 * is in the address of one request (`/history/:id`). What is known to no API is `other`.
 */
export function routeLabel(api: ApiName, pathname: string): string {
  const path = pathname.length > 1 ? pathname.replace(/\/+$/, '') : pathname;
  if (path === '/') return '/';
  if (api === 'local-models') {
    if (NATIVE.test(path) || DIALECT.test(path)) return path;
    if (/^\/api\/blobs\/[^/]+$/.test(path)) return '/api/blobs/:digest';
    return /^\/v1\/models\/.+$/.test(path) ? '/v1/models/:model' : 'other';
  }
  if (api === 'image-workflows') {
    const bare = path.replace(/^\/api(?=\/)/, '');
    const name = IMAGES.exec(bare)?.[1];
    if (name === undefined) return 'other';
    return bare === `/${name}` ? bare : `/${name}/*`;
  }
  const hook = HOOKS.exec(path)?.[1];
  if (hook !== undefined) return `/${hook.toLowerCase()}/*`;
  const kind = CONTROL.exec(path)?.[1];
  if (kind !== undefined) return path === `/api/v1/${kind}` ? path : `/api/v1/${kind}/*`;
  return /^\/healthz(\/readiness)?$/.test(path) ? path : 'other';
}

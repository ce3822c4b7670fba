/**
 * Decides which API answers a request on a shared origin. Without imports of code, because the service worker carries it
 * and has to decide synchronously.
 */
import type { ApiName } from '../apis.ts';

/**
 * Which paths count as an API's.
 * - `listed`: the paths that an API documents. For sites that have routes of their own.
 * - `whole`: also every other path under `/api` and `/v1`, and ComfyUI's generic paths (`/users`, `/settings`, …).
 *   For tabd's own origin, so that unknown paths get the 404 of their API.
 *
 * @example
 * ```ts
 * import type { PathReach } from 'tabd';
 *
 * export const reach: PathReach = 'whole';
 * ```
 */
export type PathReach = 'listed' | 'whole';

interface Rule {
  api: ApiName;
  path: RegExp;
  /** Undefined: all methods. */
  methods?: string[];
  /** Undefined: the rule counts for every reach. */
  reach?: PathReach;
}

const READ_METHODS = ['GET', 'HEAD'];
/**
 * The first rule that matches an enabled API decides. The expressions are literals: bundlers cannot drop a constructed
 * `RegExp` from sites that use none of this.
 */
const RULES: Rule[] = [
  { api: 'image-workflows', path: /^\/api\/embeddings$/, methods: READ_METHODS },
  {
    api: 'local-models',
    path: /^\/api\/(version|status|tags|show|ps|chat|generate|embed|embeddings|create|copy|delete|pull|push|me|signout|(blobs|user\/keys|experimental)\/.+)\/?$/,
  },
  {
    api: 'local-models',
    path: /^\/v1\/(chat\/completions|completions|embeddings|responses|messages|audio\/(transcriptions|translations|speech)|images\/(generations|edits|variations|files\/.+)|models(\/.*)?)\/?$/,
  },
  { api: 'local-models', path: /^\/mcp\/?$/ },
  {
    api: 'webhooks',
    path: /^\/((webhook|form)(-test|-waiting)?(\/.*)?|mcp\/.+|rest\/.*|api\/v1\/.*|healthz(\/readiness)?)$/i,
  },
  {
    api: 'image-workflows',
    path: /^(\/api)?\/(prompt|queue|interrupt|free|view|system_stats|embeddings|features|workflow_templates|ws|(global_subgraphs|history|upload|object_info|models|view_metadata|experiment\/models)(\/.*)?)\/?$/,
  },
  { api: 'image-workflows', path: /^\/api\/jobs(\/.*)?$/ },
  {
    api: 'image-workflows',
    path: /^(\/api)?\/(extensions|i18n|(settings|users|userdata|v2\/userdata|jobs)(\/.*)?)\/?$/,
    reach: 'whole',
  },
  { api: 'image-workflows', path: /^\/internal\/.*$/, reach: 'whole' },
  { api: 'local-models', path: /^\/(api|v1)(\/.*)?$/, reach: 'whole' },
];

/**
 * The part of the path after `prefix`. Undefined: `pathname` does not lie below it.
 * @param prefix `/ai` or empty
 */
export function withoutPrefix(pathname: string, prefix: string): string | undefined {
  const base = prefix.replace(/\/+$/, '');
  return pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : undefined;
}

/**
 * The API that answers a request. Undefined: the site itself does, as always for `/`.
 * @param pathname as `URL.pathname` has it, not decoded
 * @param apis those that are enabled
 * @param prefix the path below which the APIs live: `/ai` or empty
 */
export function apiOfRequest(
  method: string,
  pathname: string,
  apis: readonly ApiName[],
  prefix = '',
  reach: PathReach = 'listed',
): ApiName | undefined {
  const path = withoutPrefix(pathname, prefix);
  if (path === undefined) return undefined;
  return RULES.find(
    (rule) =>
      apis.includes(rule.api) &&
      (!rule.methods || rule.methods.includes(method)) &&
      (!rule.reach || rule.reach === reach) &&
      rule.path.test(path),
  )?.api;
}

/**
 * Which API owns a request on a shared origin. Tiny and without imports: the service worker carries it and has to
 * decide synchronously. Ownership is by method and path; the first rule that matches an API that is switched on wins.
 */
import type { ApiName } from '../apis.ts';

/**
 * Which paths count as an API's. `listed`: the paths that an API documents, for a site that has routes of its own.
 * `whole`: also every other path under `/api` and `/v1`, and ComfyUI's generic paths (`/users`, `/settings` …).
 * tabd's own origin uses `whole`, so that unknown paths get the 404 of their API.
 */
export type PathReach = 'listed' | 'whole';

interface Rule {
  api: ApiName;
  path: RegExp;
  methods?: string[];
  reach?: PathReach;
}

const READ = ['GET', 'HEAD'];
const RULES: Rule[] = [
  { api: 'image-workflows', path: /^\/api\/embeddings$/, methods: READ },
  {
    api: 'local-models',
    path: /^\/api\/(version|status|tags|show|ps|chat|generate|embed|embeddings|create|copy|delete|pull|push|me|signout|(blobs|user\/keys|experimental)\/.+)\/?$/,
  },
  {
    api: 'local-models',
    path: /^\/v1\/(chat\/completions|completions|embeddings|responses|messages|audio\/transcriptions|models(\/.*)?)\/?$/,
  },
  {
    api: 'webhooks',
    path: /^\/((webhook|form)(-test|-waiting)?(\/.*)?|rest\/.*|api\/v1\/.*|healthz(\/readiness)?)$/i,
  },
  // Literals: a `RegExp` that is constructed would stay in bundles of sites that use none of this.
  {
    api: 'image-workflows',
    path: /^(\/api)?\/(prompt|queue|interrupt|free|view|system_stats|embeddings|features|workflow_templates|ws|(history|upload|object_info|models|view_metadata|experiment\/models)(\/.*)?)\/?$/,
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

/** The path behind `prefix` (`/ai` or empty), or undefined when `pathname` does not lie below it. */
export function withoutPrefix(pathname: string, prefix: string): string | undefined {
  const base = prefix.replace(/\/+$/, '');
  return pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : undefined;
}

/**
 * The API that answers this request among those switched on, or undefined: then it belongs to the site itself
 * (navigations to `/` always do). `pathname` is a URL's, not decoded.
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

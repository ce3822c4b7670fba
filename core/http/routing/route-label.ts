import type { ApiName } from '../apis.ts';

const OLLAMA =
  /^\/api\/(version|status|tags|show|ps|chat|generate|embed|embeddings|create|copy|delete|pull|push|me|signout)$/;
const OPENAI =
  /^\/v1\/(chat\/completions|completions|embeddings|responses|messages|audio\/(transcriptions|translations|speech)|models)$/;
const IMAGES =
  /^\/(prompt|queue|history|interrupt|free|view|view_metadata|upload|system_stats|object_info|embeddings|features|models|ws|extensions|global_subgraphs|jobs|settings|users|userdata|internal)(\/|$)/;
const CONTROL = /^\/api\/v1\/(workflows|executions|credentials|keys|variables|tags|users)(\/|$)/;
const WEBHOOKS = /^\/((?:webhook|form)(?:-test|-waiting)?)(\/|$)/i;

/**
 * The route of a request as metrics count it: one of a few dozen texts, without the variable parts of the path
 * (`/history/*`). An unknown path is `other`.
 */
export function routeLabel(api: ApiName, pathname: string): string {
  const path = pathname.length > 1 ? pathname.replace(/\/+$/, '') : pathname;
  if (path === '/') return '/';
  if (api === 'local-models') return localModelsLabel(path);
  return api === 'image-workflows' ? imagesLabel(path) : webhooksLabel(path);
}

function localModelsLabel(path: string): string {
  if (OLLAMA.test(path) || OPENAI.test(path)) return path;
  if (/^\/api\/blobs\/[^/]+$/.test(path)) return '/api/blobs/:digest';
  return /^\/v1\/models\/.+$/.test(path) ? '/v1/models/:model' : 'other';
}

function imagesLabel(path: string): string {
  // Every route answers with and without `/api`.
  const route = path.replace(/^\/api(?=\/)/, '');
  const name = IMAGES.exec(route)?.[1];
  if (name === undefined) return 'other';
  return route === `/${name}` ? route : `/${name}/*`;
}

function webhooksLabel(path: string): string {
  const endpoint = WEBHOOKS.exec(path)?.[1];
  if (endpoint !== undefined) return `/${endpoint.toLowerCase()}/*`;
  const resource = CONTROL.exec(path)?.[1];
  if (resource !== undefined) return path === `/api/v1/${resource}` ? path : `/api/v1/${resource}/*`;
  return /^\/healthz(\/readiness)?$/.test(path) ? path : 'other';
}

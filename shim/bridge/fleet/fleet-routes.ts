import type { CallContext } from '#core/http';
import { isModelWork } from '../../forwarding/model-work.ts';

/**
 * How the tabs of a fleet answer a request.
 * - `work`: any tab that has the model. The request leaves no state.
 * - `holder`: a tab that has the model, the home if it does.
 * - `merged`: all tabs; their lists become one.
 * - `all`: all tabs do the same; the home answers.
 * - `any`: the home, or any other tab while the home is away.
 * - `home`: the home alone, because the request reads or changes state that only one tab has.
 */
export type FleetRoute = 'work' | 'holder' | 'merged' | 'all' | 'any' | 'home';

/** Without the requests of `isModelWork`, which are `work`, and those of one model by its path. Others go to the home. */
const ROUTES: Record<string, FleetRoute> = {
  'POST /api/show': 'holder',
  'POST /api/push': 'holder',
  'POST /api/copy': 'holder',
  'GET /api/tags': 'merged',
  'GET /api/ps': 'merged',
  'GET /v1/models': 'merged',
  'POST /api/pull': 'all',
  'DELETE /api/delete': 'all',
  'HEAD /api/tags': 'any',
  'GET /': 'any',
  'HEAD /': 'any',
  'GET /api/version': 'any',
  'HEAD /api/version': 'any',
};

const MODEL_PATH = /^\/v1\/models\/([^/]+)$/;

/** A request's route, and where its model stands: in the path, or in a field of the body. */
export interface RoutedRequest {
  route: FleetRoute;
  model?: string;
  field?: 'model' | 'source';
}

/** Paths in another spelling, and those of the other ports, go to the home. */
export function routeOf(method: string, pathname: string, listener: CallContext['listener']): RoutedRequest {
  if (listener !== 'local-models') return { route: 'home' };
  const [, inPath] = (method === 'GET' && MODEL_PATH.exec(pathname)) || [];
  if (inPath !== undefined) return { route: 'holder', model: decoded(inPath) };
  if (isModelWork(method, pathname)) return { route: 'work', field: 'model' };
  const route = ROUTES[`${method} ${pathname}`] ?? 'home';
  if (route !== 'holder') return { route };
  return { route, field: pathname === '/api/copy' ? 'source' : 'model' };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

import { type ClusterOverview, ClusterRefusal } from '../cluster/overview.ts';
import { isOwnPage } from './own-page.ts';
import { failed, readSmallJson, sent } from './small-json.ts';

/** The path of a cluster's processes and queues. */
export const CLUSTER_PATH = '/tabd/cluster';

/** Bytes of a body. */
const MAX_BODY = 1000;

export interface ClusterRoutesOptions {
  overview: Pick<ClusterOverview, 'report' | 'drain' | 'retry' | 'knowsKey'>;
  /** The origin of the page of this door. */
  origin(): string | undefined;
}

/**
 * - `GET /tabd/cluster` answers a `ClusterReport`.
 * - `POST /tabd/cluster/processes/NAME` with `{ drain: boolean }` makes a worker take no new work, or take work again.
 * - `POST /tabd/cluster/executions/ID/retry` repeats a stuck execution, and answers `{ id }` of the one that runs.
 *
 * The page of this door may use them on its computer. Others send a key of the control API as `X-N8N-API-KEY`.
 */
export function clusterRoutes(options: ClusterRoutesOptions) {
  return (request: Request, path: string, fromThisComputer: boolean): Promise<Response> | undefined => {
    if (path !== CLUSTER_PATH && !path.startsWith(`${CLUSTER_PATH}/`)) return undefined;
    return answer(options, request, path.slice(CLUSTER_PATH.length), fromThisComputer);
  };
}

async function answer(
  options: ClusterRoutesOptions,
  request: Request,
  path: string,
  fromThisComputer: boolean,
): Promise<Response> {
  const { overview } = options;
  try {
    if (!(await isAllowed(options, request, fromThisComputer)))
      return failed(
        401,
        'send a key of the control API as X-N8N-API-KEY: tabd key create --cluster makes one',
      );
    const [, kind, name, action] = path.split('/').map(decodeURIComponent);
    if (request.method === 'GET' && kind === undefined) return sent(await overview.report());
    if (request.method !== 'POST') return failed(405, 'GET or POST, as the documentation says');
    if (kind === 'processes' && name !== undefined && action === undefined) {
      const { drain } = await readSmallJson(request, MAX_BODY);
      if (typeof drain !== 'boolean') return failed(400, 'send { drain: true } or { drain: false }');
      await overview.drain(name, drain);
      return sent({ process: name, draining: drain });
    }
    if (kind === 'executions' && name !== undefined && action === 'retry')
      return sent({ id: await overview.retry(name) });
    return failed(404, 'there is no such path');
  } catch (error) {
    if (error instanceof ClusterRefusal) return failed(error.status, error.message);
    if (error instanceof URIError) return failed(400, 'the path is not valid');
    throw error;
  }
}

async function isAllowed(
  { overview, origin }: ClusterRoutesOptions,
  request: Request,
  fromThisComputer: boolean,
): Promise<boolean> {
  const own = origin();
  if (fromThisComputer && own !== undefined && isOwnPage(request, own)) return true;
  const key = request.headers.get('x-n8n-api-key');
  return key !== null && key !== '' && overview.knowsKey(key);
}

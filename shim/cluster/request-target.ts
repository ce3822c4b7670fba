/** Decides which worker answers a request. */
import type { ApiName } from '#core/http';
import { isModelWork } from '../forwarding/model-work.ts';
import type { ProcessInfo } from './presence.ts';

export type Target =
  /** A worker that has room takes the call from the queue. */
  | { kind: 'queue' }
  /** The worker that does the single tasks of the API. */
  | { kind: 'leader'; api: ApiName }
  /** A worker with that model. */
  | { kind: 'model'; api: ApiName }
  /** The answers of all workers, in one. */
  | { kind: 'all'; api: ApiName }
  | { kind: 'any'; api: ApiName };

/** @param prefixes the first parts of the addresses of published webhooks */
export function requestTarget(
  api: ApiName,
  method: string,
  path: string,
  prefixes: readonly string[],
): Target {
  if (api === 'webhooks') {
    const isCall = prefixes.some((prefix) => path.toLowerCase().startsWith(`/${prefix.toLowerCase()}/`));
    return isCall ? { kind: 'queue' } : { kind: 'leader', api };
  }
  if (api === 'image-workflows') return { kind: 'leader', api };
  if (isModelWork(method, path)) return { kind: 'model', api };
  if (path === '/api/ps' && method === 'GET') return { kind: 'all', api };
  // Changes of models happen in one place, so that a model is downloaded once.
  return method === 'GET' || method === 'HEAD' || path === '/api/show'
    ? { kind: 'any', api }
    : { kind: 'leader', api };
}

/**
 * The worker for a model: one that has it in memory, unless it is busier by `MUCH` than the idlest one. Of several, the
 * idlest one, or `keeper`, if that is busier by `LITTLE` at most. Without such a worker, the idlest of all.
 * Undefined: none may answer with this model.
 * @param keeper the process that keeps a prefix of the prompt
 */
export function workerFor(
  workers: readonly ProcessInfo[],
  model: string | undefined,
  keeper?: string,
): ProcessInfo | undefined {
  const able = workers.filter(
    ({ models }) => model === undefined || !models || models.some((each) => isSameModel(each, model)),
  );
  const least = (list: ProcessInfo[]) =>
    list.reduce<ProcessInfo | undefined>(
      (best, each) => (best && best.running <= each.running ? best : each),
      undefined,
    );
  const idle = least(able);
  if (model === undefined) return idle;
  const holders = able.filter(({ loaded }) => loaded.some((each) => isSameModel(each, model)));
  const idlest = least(holders);
  const keeping = holders.find(({ process }) => process === keeper);
  const warm = keeping && keeping.running - idlest!.running <= LITTLE ? keeping : idlest;
  return warm && warm.running - idle!.running < MUCH ? warm : idle;
}

/** Requests by which a worker that has the model may be busier, before another one loads a second copy. */
const MUCH = 4;
/** Requests by which a worker that keeps a prefix of the prompt may be busier. Reading a prompt again costs about as much. */
const LITTLE = 1;

/** `smollm2` is `smollm2:latest`. Names differ in case only for people. */
function isSameModel(a: string, b: string): boolean {
  const full = (name: string) => (/:[^/]+$/.test(name) ? name : `${name}:latest`).toLowerCase();
  return full(a) === full(b);
}

import { Lazy } from '#core/base';
import type { Host } from '#core/host';
import type { LocalApis, Route } from '#core/http';

const PATHS: readonly (readonly [method: string, path: string, handler: string])[] = [
  ['POST', '/v1/images/generations', 'generations'],
  ['POST', '/v1/images/edits', 'edits'],
  ['POST', '/v1/images/variations', 'variations'],
  ['GET', '/v1/images/files/:file', 'files'],
];

/** The routes of OpenAI's image API, whose code is loaded by the first request. */
export function imageRoutes(host: Host, localApis: LocalApis): Route[] {
  const api = new Lazy(async () => (await import('./image-api.ts')).createImageApi(host, localApis));
  return PATHS.map(([method, path, handler]) => ({
    method,
    path,
    handle: async (call) => (await api.get())[handler]!(call),
  }));
}

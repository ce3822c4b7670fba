import type { ApiName } from '../apis.ts';
import type { Api } from './api.ts';

/** Paths of an origin that all APIs share: there `/openapi.json` belongs to the site. */
const SHARED_PATHS: Record<ApiName, string> = {
  'local-models': '/api/openapi.json',
  'image-workflows': '/internal/openapi.json',
  webhooks: '/api/v1/openapi.json',
};

/** The API with two more routes, which describe all others as an OpenAPI document. */
export function withOpenApi(api: Api): Api {
  // Loaded by its first request: few visitors of a page ask for it.
  const handle = async () => {
    const { openApiDocument } = await import('./openapi-document.ts');
    return Response.json(openApiDocument(api.name, api.routes));
  };
  const added = ['/openapi.json', SHARED_PATHS[api.name]].map((path) => ({ method: 'GET', path, handle }));
  return { ...api, routes: [...added, ...api.routes] };
}

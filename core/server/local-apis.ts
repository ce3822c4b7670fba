import { type ApiName, apiOfRequest, type CallContext, type LocalApis, type Server } from '#core/http';

/**
 * The APIs that nodes of workflows may call. Nodes start other workflows through `NodeContext.callWorkflow`, not
 * through the webhooks' API.
 */
const CALLABLE_APIS: readonly ApiName[] = ['local-models', 'image-workflows'];

/**
 * This server's own APIs for nodes of workflows. The path selects the API; an unknown path gets the 404 of the local
 * models.
 * @param server called with each request, because the server is created after its APIs
 */
export function createLocalApis(server: () => Server): LocalApis {
  const context: Omit<CallContext, 'listener'> = {
    loopback: true,
    clientAddress: '127.0.0.1',
    appOrigins: [],
  };
  return {
    fetch(path, init) {
      const request = new Request(new URL(path, 'http://localhost'), init);
      const { pathname } = new URL(request.url);
      const listener = apiOfRequest(request.method, pathname, CALLABLE_APIS, '', 'whole') ?? 'local-models';
      return server().fetch(request, { ...context, listener });
    },
  };
}

import type { Host } from '#core/host';
import { composeServer, LazyApi, type Server } from '#core/http';
import {
  createLocalModelsApi,
  createRegistry,
  createTextService,
  type ModelRegistry,
  type TextService,
} from '#core/local-models';
import { WebhookServer } from '#core/webhooks';
import { type ImportModule, lazyImageWorkflowsApi } from './image-workflows-api.ts';
import { createLocalApis } from './local-apis.ts';
import { mcpRoutes } from './mcp/mcp-routes.ts';

/** The server, and its parts that a platform uses directly. `server.close()` ends all of them. */
export interface Core {
  server: Server;
  registry: ModelRegistry;
  textService: TextService;
  webhooks: WebhookServer;
}

export interface CoreOptions {
  /** Replaces the text service, for example by one that measures it. */
  wrapTextService?: ((textService: TextService) => TextService) | undefined;
  /** Imports a module of image nodes that the setting TABD_IMAGE_NODES names. Undefined: the setting is ignored. */
  importModule?: ImportModule;
}

/**
 * Creates the core over a host: the three APIs as one server. The image API and the webhooks' HTTP API are loaded by
 * their first requests.
 * @param registry the installed models, if the platform has opened them itself
 */
export function createCore(
  host: Host,
  registry: ModelRegistry = createRegistry(host),
  { wrapTextService = (textService) => textService, importModule }: CoreOptions = {},
): Core {
  const textService = wrapTextService(createTextService(host, registry));
  const localApis = createLocalApis(() => server);
  const webhooks = new WebhookServer(host, localApis);
  const localModels = createLocalModelsApi({ host, registry, textService });
  localModels.routes.push(...mcpRoutes(host, localApis, webhooks));
  const server: Server = composeServer(host, [
    localModels,
    lazyImageWorkflowsApi(host, registry, localApis, importModule),
    new LazyApi('webhooks', async () => (await import('#core/webhooks/lazy.ts')).webhooksApi(host, webhooks)),
  ]);
  return { server, registry, textService, webhooks };
}

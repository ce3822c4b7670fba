/** The core of tabd over a host: three APIs behind one `fetch`. */
import type { Host, Log } from './host/host.ts';
import { composeServer } from './http/compose.ts';
import { LateApi } from './http/late-api.ts';
import { ownerOf } from './http/paths.ts';
import { promptsAreLeft } from './image-workflows/execution/left-prompts.ts';
import { createRegistry } from './local-models/registry/registry.ts';
import type { ModelRegistry } from './local-models/registry/types.ts';
import { createLocalModelsApi } from './local-models/routes/api.ts';
import { createTextService } from './local-models/text-service.ts';
import type { TextService } from './local-models/types.ts';
import type { CallContext, Server } from './server-types.ts';
import { WebhookServer } from './webhooks/webhooks.ts';
import type { LocalModels } from './webhooks/workflow/node-context.ts';

/** The server with the parts that a platform itself looks at beside it. */
export interface Core {
  server: Server;
  registry: ModelRegistry;
  text: TextService;
  webhooks: WebhookServer;
}

export interface CoreOptions {
  /** Sees what the models do, as the service that it returns in its place. */
  watch?: ((text: TextService) => TextService) | undefined;
  /** Imports a file of nodes that a setting names. */
  importModule?: (name: string) => Promise<Record<string, unknown>>;
}

export function createCore(
  host: Host,
  registry: ModelRegistry = createRegistry(host),
  { watch = (text) => text, importModule }: CoreOptions = {},
): Core {
  const text = watch(createTextService(host, registry));
  const own = ownServer(() => server);
  const images = lateImages(host, registry, own, importModule);
  const webhooks = new WebhookServer(host, own);
  const server: Server = composeServer(host, [
    createLocalModelsApi({ host, registry, text }),
    images,
    new LateApi('webhooks', async () => (await import('./webhooks/api.ts')).webhooksApi(host, webhooks)),
  ]);
  return { server, registry, text, webhooks };
}

/** Loaded at once where prompts of the last server wait to be run. */
function lateImages(
  host: Host,
  registry: ModelRegistry,
  languageModels: LocalModels,
  importModule: CoreOptions['importModule'],
): LateApi {
  const images = new LateApi('image-workflows', async () => {
    const { imageWorkflowsApi } = await import('./image-workflows/api.ts');
    const files = host.setting('TABD_IMAGE_NODES');
    const nodes = importModule && files ? await importOwn(files, importModule, host.log) : [];
    const { withPulledModels } = await import('./image-workflows/models/installed-models.ts');
    const pulled = () => imageModels(registry);
    return imageWorkflowsApi(withPulledModels(host, pulled), { languageModels, nodes });
  });
  promptsAreLeft(host.records)
    .then((left) => (left ? images.router() : undefined))
    .catch((error) => host.log.error('image workflows cannot start', { error: String(error) }));
  return images;
}

/** By the names that pulls know them by, without the usual tag. */
async function imageModels(registry: ModelRegistry) {
  const installed = (await registry.list()).filter(({ format }) => format === 'diffusers');
  return installed.map(({ name, files, modifiedAt }) => ({
    name: registry.display(name).replace(/:latest$/, ''),
    files,
    modifiedAt,
  }));
}

async function importOwn(files: string, importModule: NonNullable<CoreOptions['importModule']>, log: Log) {
  const { importOwnNodes } = await import('./image-workflows/nodes/own-nodes.ts');
  return importOwnNodes(files, importModule, log);
}

/** The other APIs as nodes of workflows ask them. */
function ownServer(server: () => Server): LocalModels {
  const context: Omit<CallContext, 'listener'> = {
    loopback: true,
    clientAddress: '127.0.0.1',
    appOrigins: [],
  };
  return {
    fetch(path, init) {
      const request = new Request(new URL(path, 'http://localhost'), init);
      const { pathname } = new URL(request.url);
      const apis = ['local-models', 'image-workflows'] as const;
      const listener = ownerOf(request.method, pathname, apis, '', 'whole') ?? 'local-models';
      return server().fetch(request, { ...context, listener });
    },
  };
}

/** `registry`: given by a platform that itself looks at the installed models beside the server. */
export function createServer(host: Host, registry?: ModelRegistry): Server {
  return createCore(host, registry).server;
}

/** The core of tabd over a host: three APIs behind one `fetch`. */
import type { Host, Log } from '#core/host';
import {
  apiOfRequest,
  type CallContext,
  composeServer,
  LazyApi,
  type LocalApis,
  type Server,
} from '#core/http';
import { hasUnfinishedPrompts } from '#core/image-workflows';
import {
  createLocalModelsApi,
  createRegistry,
  createTextService,
  type ModelRegistry,
  type TextService,
} from '#core/local-models';
import { WebhookServer } from '#core/webhooks';

/** The server with the parts that a platform itself looks at beside it. */
export interface Core {
  server: Server;
  registry: ModelRegistry;
  text: TextService;
  webhooks: WebhookServer;
}

export interface CoreOptions {
  /** Sees what the models do, as the service that it returns in its place. */
  wrapTextService?: ((text: TextService) => TextService) | undefined;
  /** Imports a file of nodes that a setting names. */
  importModule?: (name: string) => Promise<Record<string, unknown>>;
}

export function createCore(
  host: Host,
  registry: ModelRegistry = createRegistry(host),
  { wrapTextService: watch = (text) => text, importModule }: CoreOptions = {},
): Core {
  const text = watch(createTextService(host, registry));
  const own = ownServer(() => server);
  const images = lateImages(host, registry, own, importModule);
  const webhooks = new WebhookServer(host, own);
  const server: Server = composeServer(host, [
    createLocalModelsApi({ host, registry, text }),
    images,
    new LazyApi('webhooks', async () => (await import('#core/webhooks/lazy.ts')).webhooksApi(host, webhooks)),
  ]);
  return { server, registry, text, webhooks };
}

/** Loaded at once where prompts of the last server wait to be run. */
function lateImages(
  host: Host,
  registry: ModelRegistry,
  languageModels: LocalApis,
  importModule: CoreOptions['importModule'],
): LazyApi {
  const images = new LazyApi('image-workflows', async () => {
    const { imageWorkflowsApi } = await import('#core/image-workflows/lazy.ts');
    const files = host.setting('TABD_IMAGE_NODES');
    const nodes = importModule && files ? await importOwn(files, importModule, host.log) : [];
    const { withPulledModels } = await import('#core/image-workflows/lazy.ts');
    const pulled = () => imageModels(registry);
    return imageWorkflowsApi(withPulledModels(host, pulled), { languageModels, nodes });
  });
  hasUnfinishedPrompts(host.records)
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
  const { importOwnNodes } = await import('#core/image-workflows/lazy.ts');
  return importOwnNodes(files, importModule, log);
}

/** The other APIs as nodes of workflows ask them. */
function ownServer(server: () => Server): LocalApis {
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
      const listener = apiOfRequest(request.method, pathname, apis, '', 'whole') ?? 'local-models';
      return server().fetch(request, { ...context, listener });
    },
  };
}

/** `registry`: given by a platform that itself looks at the installed models beside the server. */
export function createServer(host: Host, registry?: ModelRegistry): Server {
  return createCore(host, registry).server;
}

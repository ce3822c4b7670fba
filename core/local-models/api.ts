/** The Ollama API with its OpenAI and Anthropic dialects. */
import { type Api, ApiError, bindRoutes, type RouteCall, type RouteTable, textResponse } from '#core/http';
import { listSetting } from '#core/settings';
import { getOpenaiModel, listOpenaiModels } from './dialects/openai/models.ts';
import { errorResponse } from './errors.ts';
import { cloudOnly, getAccount, signOut } from './routes/account.ts';
import { getRoot, getStatus, getVersion } from './routes/basics.ts';
import { checkBlob, storeBlob } from './routes/blobs.ts';
import { ollamaChat } from './routes/chat.ts';
import { type FilterSettings, filterRequest } from './routes/filter.ts';
import { ollamaGenerate } from './routes/generate.ts';
import { listInstalled, listLoaded } from './routes/listing.ts';
import { copyModel, deleteModel, pullModel, pushModel } from './routes/manage.ts';
import { listPublishedFiles } from './routes/published-files.ts';
import { listRecommendations } from './routes/recommendations.ts';
import { showModel } from './routes/show.ts';
import type { LocalModelServices } from './runs/services.ts';

/** A handler whose code is loaded by its first request. */
const lazy =
  (name: keyof typeof import('./routes/lazy.ts')) => async (services: LocalModelServices, call: RouteCall) =>
    (await import('./routes/lazy.ts'))[name](services, call);

const ROUTES: RouteTable<LocalModelServices> = [
  ['HEAD GET', '/', getRoot],
  ['HEAD GET', '/api/version', getVersion],
  ['GET', '/api/status', getStatus],
  ['HEAD GET', '/api/tags', listInstalled],
  ['GET', '/api/ps', listLoaded],
  ['POST', '/api/show', showModel],
  ['POST', '/api/chat', ollamaChat],
  ['POST', '/api/generate', ollamaGenerate],
  ['POST', '/api/embed', lazy('ollamaEmbed')],
  ['POST', '/api/embeddings', lazy('legacyEmbeddings')],
  ['POST', '/api/create', lazy('createModel')],
  ['HEAD', '/api/blobs/:digest', checkBlob],
  ['POST', '/api/blobs/:digest', storeBlob],
  ['POST', '/api/copy', copyModel],
  ['POST', '/api/pull', pullModel],
  ['POST', '/api/push', pushModel],
  ['DELETE', '/api/delete', deleteModel],
  ['POST', '/api/me', getAccount],
  ['POST', '/api/signout', signOut],
  ['DELETE', '/api/user/keys/:encodedKey', signOut],
  ['POST', '/api/experimental/web_search', cloudOnly('web search')],
  ['POST', '/api/experimental/web_fetch', cloudOnly('web fetch')],
  ['GET', '/api/experimental/model-recommendations', listRecommendations],
  ['GET', '/api/experimental/published-files', listPublishedFiles],
  ['POST', '/v1/chat/completions', lazy('chatCompletions')],
  ['POST', '/v1/completions', lazy('completions')],
  ['POST', '/v1/embeddings', lazy('openaiEmbeddings')],
  ['POST', '/v1/responses', lazy('responses')],
  ['POST', '/v1/audio/transcriptions', lazy('transcriptions')],
  ['POST', '/v1/audio/translations', lazy('translations')],
  ['POST', '/v1/audio/speech', lazy('speech')],
  ['POST', '/v1/messages', lazy('messages')],
  ['GET', '/v1/models', listOpenaiModels],
  ['GET', '/v1/models/:model', getOpenaiModel],
];

/** Creates the API module that the server mounts. Closing it closes the registry and all engines. */
export function createLocalModelsApi(services: LocalModelServices): Api {
  const { host, registry, textService } = services;
  // Read when a request needs it, because most have no Origin.
  const allowed: FilterSettings = {
    get origins() {
      return listSetting(host, 'OLLAMA_ORIGINS');
    },
    get hostname() {
      return host.machine.hostname;
    },
    addresses: () => host.machine.addresses?.() ?? [],
  };
  return {
    name: 'local-models',
    routes: bindRoutes(services, ROUTES),
    headByGet: false,
    redirects: true,
    filter: (request, url, context, methods) => filterRequest(request, url, context, methods, allowed),
    notFound: () => textResponse('404 page not found', 404, 'text/plain'),
    methodNotAllowed: (_request, _url, allowed) =>
      textResponse('405 method not allowed', 405, 'text/plain', { allow: allowed.join(', ') }),
    failure: (error, request, url) => {
      const isExpected = error instanceof ApiError || request.signal.aborted;
      if (!isExpected) host.log.error(`${url.pathname} failed`, { error: String(error) });
      return errorResponse(error, url);
    },
    async close() {
      await Promise.all([textService.close(), registry.close()]);
    },
  };
}

/** The Ollama API with its OpenAI and Anthropic dialects. */
import { type Api, ApiError, bindRoutes, type RouteTable, textResponse } from '#core/http';
import { listSetting } from '#core/settings';
import { messages } from './dialects/anthropic/messages.ts';
import { chatCompletions } from './dialects/openai/chat-completions.ts';
import { completions } from './dialects/openai/completions.ts';
import { openaiEmbeddings } from './dialects/openai/embeddings.ts';
import { listModels, retrieveModel } from './dialects/openai/models.ts';
import { responses } from './dialects/openai/responses/responses.ts';
import { transcriptions } from './dialects/openai/transcriptions.ts';
import { errorResponse } from './errors.ts';
import { cloudOnly, me, signout } from './routes/account.ts';
import { root, status, version } from './routes/basics.ts';
import { headBlob, postBlob } from './routes/blobs.ts';
import { chat } from './routes/chat.ts';
import { create } from './routes/create.ts';
import { embed, legacyEmbeddings } from './routes/embed.ts';
import { filterRequest } from './routes/filter.ts';
import { generate } from './routes/generate.ts';
import { ps, tags } from './routes/listing.ts';
import { copy, pull, push, remove } from './routes/manage.ts';
import { recommendations } from './routes/recommendations.ts';
import { show } from './routes/show.ts';
import type { LocalModelServices } from './runs/services.ts';

const ROUTES: RouteTable<LocalModelServices> = [
  ['HEAD GET', '/', root],
  ['HEAD GET', '/api/version', version],
  ['GET', '/api/status', status],
  ['HEAD GET', '/api/tags', tags],
  ['GET', '/api/ps', ps],
  ['POST', '/api/show', show],
  ['POST', '/api/chat', chat],
  ['POST', '/api/generate', generate],
  ['POST', '/api/embed', embed],
  ['POST', '/api/embeddings', legacyEmbeddings],
  ['POST', '/api/create', create],
  ['HEAD', '/api/blobs/:digest', headBlob],
  ['POST', '/api/blobs/:digest', postBlob],
  ['POST', '/api/copy', copy],
  ['POST', '/api/pull', pull],
  ['POST', '/api/push', push],
  ['DELETE', '/api/delete', remove],
  ['POST', '/api/me', me],
  ['POST', '/api/signout', signout],
  ['DELETE', '/api/user/keys/:encodedKey', signout],
  ['POST', '/api/experimental/web_search', cloudOnly('web search')],
  ['POST', '/api/experimental/web_fetch', cloudOnly('web fetch')],
  ['GET', '/api/experimental/model-recommendations', recommendations],
  ['POST', '/v1/chat/completions', chatCompletions],
  ['POST', '/v1/completions', completions],
  ['POST', '/v1/embeddings', openaiEmbeddings],
  ['POST', '/v1/responses', responses],
  ['POST', '/v1/audio/transcriptions', transcriptions],
  ['POST', '/v1/messages', messages],
  ['GET', '/v1/models', listModels],
  ['GET', '/v1/models/:model', retrieveModel],
];

/** Creates the API module that the server mounts. Closing it closes the registry and all engines. */
export function createLocalModelsApi(services: LocalModelServices): Api {
  const { host, registry, text } = services;
  return {
    name: 'local-models',
    routes: bindRoutes(services, ROUTES),
    headByGet: false,
    redirects: true,
    filter: (request, url, context, allowed) =>
      filterRequest(request, url, context, allowed, {
        origins: listSetting(host, 'OLLAMA_ORIGINS'),
        hostname: host.machine.hostname,
        addresses: host.machine.addresses,
      }),
    notFound: () => textResponse('404 page not found', 404, 'text/plain'),
    methodNotAllowed: (_request, _url, allowed) =>
      textResponse('405 method not allowed', 405, 'text/plain', { allow: allowed.join(', ') }),
    failure: (error, request, url) => {
      const isExpected = error instanceof ApiError || request.signal.aborted;
      if (!isExpected) host.log.error(`${url.pathname} failed`, { error: String(error) });
      return errorResponse(error, url);
    },
    async close() {
      await Promise.all([text.close(), registry.close()]);
    },
  };
}

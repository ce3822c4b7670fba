/** Servers of models that are reached over the network of a workflow. */
import type { JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import type { ModelServer } from './model-request.ts';

type Described = Pick<ModelServer, 'baseUrl' | 'headers' | 'timeout'> & Partial<Pick<ModelServer, 'errors'>>;

/** @param server its address may end with a slash. Its errors have statuses in words, unless it says otherwise */
export function networkServer({ network }: Pick<NodeContext, 'network'>, server: Described): ModelServer {
  return {
    errors: 'status',
    ...server,
    baseUrl: server.baseUrl.replace(/\/$/, ''),
    fetch: (url, init) => network.fetch(url, init),
  };
}

/** Google's server for Gemini. @param credential of the type `googlePalmApi` */
export function googleServer(context: Pick<NodeContext, 'network'>, credential: JsonObject): ModelServer {
  return networkServer(context, {
    baseUrl: String(credential.host || 'https://generativelanguage.googleapis.com'),
    headers: { 'x-goog-api-key': String(credential.apiKey ?? '') },
  });
}

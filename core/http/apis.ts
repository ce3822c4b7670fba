/** The APIs that tabd serves. Without imports, because the service worker carries this file. */

/**
 * An API. `local-models`: Ollama's, OpenAI's and Anthropic's. `image-workflows`: ComfyUI's. `webhooks`: n8n's.
 *
 * @example
 * ```ts
 * import type { ApiName } from 'tabd';
 *
 * export const apis: ApiName[] = ['local-models', 'webhooks'];
 * ```
 */
export type ApiName = 'local-models' | 'image-workflows' | 'webhooks';

/** All APIs, in the order in which lists show them. */
export const API_NAMES: readonly ApiName[] = ['local-models', 'image-workflows', 'webhooks'];

/** The port at which clients of an API expect it: the default of Ollama, ComfyUI and n8n. */
export const DEFAULT_PORTS: Readonly<Record<ApiName, number>> = {
  'local-models': 11434,
  'image-workflows': 8188,
  webhooks: 5678,
};

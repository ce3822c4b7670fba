/** Routes without state. */

import { OLLAMA_API_VERSION } from '#core/base';
import { jsonResponse, textResponse } from '#core/http';
import { flagSetting } from '#core/settings';
import type { LocalModels } from '../runs/services.ts';

export const root = () => textResponse('Ollama is running', 200, 'text/plain; charset=utf-8');
export const version = () => jsonResponse({ version: OLLAMA_API_VERSION });
/** There is no cloud behind this server, whether or not the environment forbids one. */
export const status = ({ host }: LocalModels) =>
  jsonResponse({
    cloud: { disabled: true, source: flagSetting(host, 'OLLAMA_NO_CLOUD') ? 'env' : 'config' },
  });

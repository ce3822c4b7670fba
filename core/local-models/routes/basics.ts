/** GET /, /api/version and /api/status */
import { OLLAMA_API_VERSION } from '#core/base';
import { jsonResponse, keptJsonResponse, textResponse } from '#core/http';
import { flagSetting } from '#core/settings';
import type { LocalModelServices } from '../runs/services.ts';

export const getRoot = () => textResponse('Ollama is running', 200, 'text/plain; charset=utf-8');
export const getVersion = keptJsonResponse({ version: OLLAMA_API_VERSION });
/** tabd has no cloud, so it is always disabled. `source` says whether the environment disables it, too. */
export const getStatus = ({ host }: LocalModelServices) =>
  jsonResponse({
    cloud: { disabled: true, source: flagSetting(host, 'OLLAMA_NO_CLOUD') ? 'env' : 'config' },
  });

/** Routes without state. */
import { jsonResponse, textResponse } from '../../http/respond.ts';
import { flagSetting } from '../../settings/read-setting.ts';
import { API_LEVEL } from '../../version.ts';
import type { LocalModels } from './context.ts';

export const root = () => textResponse('Ollama is running', 200, 'text/plain; charset=utf-8');
export const version = () => jsonResponse({ version: API_LEVEL });
/** There is no cloud behind this server, whether or not the environment forbids one. */
export const status = ({ host }: LocalModels) =>
  jsonResponse({
    cloud: { disabled: true, source: flagSetting(host, 'OLLAMA_NO_CLOUD') ? 'env' : 'config' },
  });

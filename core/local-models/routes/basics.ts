/** Routes without state. */
import { ApiError } from '../../http/api-error.ts';
import { jsonResponse, textResponse } from '../../http/respond.ts';
import { API_LEVEL } from '../../version.ts';

export const root = () => textResponse('Ollama is running', 200, 'text/plain; charset=utf-8');
export const version = () => jsonResponse({ version: API_LEVEL });
/** There is no cloud behind this server, and no setting that brings one. */
export const status = () => jsonResponse({ cloud: { disabled: true, source: 'config' } });

/** A documented route that this version lacks says so, instead of pretending. */
export function notBuilt(path: string): () => never {
  return () => {
    throw new ApiError(501, `${path} is not implemented yet`);
  };
}

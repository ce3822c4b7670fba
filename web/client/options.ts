import { API_NAMES } from '#core/http';
import { apiOfOrigin } from '#relay';
import { StartError, type StartOptions } from './types.ts';

/** Returns the options. Throws a `StartError` that names the first invalid one. */
export function checkOptions(options: StartOptions): StartOptions {
  const { apis = API_NAMES, prefix = '', reach, intercept, models = [] } = options;
  const wrong = (message: string) => new StartError('invalid-options', message);
  if (!Array.isArray(apis) || apis.length === 0) {
    throw wrong(`apis: an array of ${API_NAMES.join(', ')} is expected`);
  }
  for (const api of apis) {
    if (!API_NAMES.includes(api)) throw wrong(`apis: '${api}' is none of ${API_NAMES.join(', ')}`);
  }
  if (prefix !== '' && !/^\/[^?#]*[^/?#]$/.test(prefix)) {
    throw wrong(`prefix: '${prefix}' is no path such as /ai`);
  }
  if (reach !== undefined && reach !== 'listed' && reach !== 'whole') {
    throw wrong(`reach: '${reach}' is neither listed nor whole`);
  }
  for (const origin of intercept === true || intercept === undefined ? [] : intercept) {
    const api = apiOfOrigin(origin);
    if (!api) {
      throw wrong(
        `intercept: '${origin}' is no origin at port 11434, 8188 or 5678, such as http://localhost:11434`,
      );
    }
    if (!apis.includes(api)) throw wrong(`intercept: ${origin} needs '${api}' among apis`);
  }
  if (models.length > 0 && !apis.includes('local-models')) {
    throw wrong("models: only with 'local-models' among apis");
  }
  return options;
}

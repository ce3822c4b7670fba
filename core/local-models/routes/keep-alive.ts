import { ApiError, customField, MAX_DURATION, parseDuration } from '#core/http';

const GO_TYPES = { bool: 'bool', object: 'map[string]interface {}', array: '[]interface {}' } as const;

/**
 * Decodes `keep_alive`, a number of seconds or a duration such as `5m`, to milliseconds. Negative values and those
 * above Go's longest duration (292 years) become Infinity.
 */
export const keepAlive = customField('api.Duration', (node) => {
  let milliseconds: number;
  switch (node.type) {
    case 'null':
      return undefined;
    case 'number':
      milliseconds = Number(node.text) * 1000;
      break;
    case 'string':
      try {
        milliseconds = parseDuration(node.value);
      } catch (error) {
        throw new ApiError(400, (error as Error).message);
      }
      break;
    default:
      throw new ApiError(400, `Unsupported type: '${GO_TYPES[node.type]}'`);
  }
  return milliseconds < 0 || milliseconds > MAX_DURATION ? Number.POSITIVE_INFINITY : milliseconds;
});

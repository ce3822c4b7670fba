/** The tools that run at Google, from the parameter `builtInTools`. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import { parseJsonParameter } from '../../shared/parse-json.ts';

/** `toolConfig`: the place that a map is about. */
export function builtInTools(stored: unknown): { tools: JsonObject[]; toolConfig?: JsonObject } {
  const { googleSearch, googleMaps, urlContext, fileSearch, codeExecution } = isObject(stored) ? stored : {};
  const { latitude, longitude } = isObject(googleMaps) ? googleMaps : {};
  const isPlace = isSet(latitude) && isSet(longitude);
  const latLng = { latitude: Number(latitude), longitude: Number(longitude) };
  return {
    tools: [
      ...(googleSearch ? [{ googleSearch: {} }] : []),
      ...(isObject(googleMaps) ? [{ googleMaps: {} }] : []),
      ...(urlContext ? [{ urlContext: {} }] : []),
      ...(isObject(fileSearch) ? [{ fileSearch: fileSearchFields(fileSearch) }] : []),
      ...(codeExecution ? [{ codeExecution: {} }] : []),
    ],
    ...(isPlace && { toolConfig: { retrievalConfig: { latLng } } }),
  };
}

const isSet = (value: unknown) => value !== undefined && value !== '';

function fileSearchFields({ fileSearchStoreNames, metadataFilter }: JsonObject): JsonObject {
  const names =
    fileSearchStoreNames &&
    parseJsonParameter(fileSearchStoreNames, 'Failed to parse file search store names');
  return {
    ...(Array.isArray(names) && { fileSearchStoreNames: names }),
    ...(metadataFilter ? { metadataFilter } : {}),
  };
}

/** Where the templates of a service look values up. */
import { getPath, type JsonObject } from '#core/workflow-format';
import { FileValue } from './file-value.ts';
import type { Scope } from './fill.ts';
import type { ServiceCall } from './service-call.ts';

/**
 * `fileNameOf.PARAMETER` is the name of the item's file that the parameter names.
 * @param values what templates read besides parameters, by the first part of the path
 */
export function scopeOf({ service, context, index, item, hidden }: ServiceCall, values: JsonObject): Scope {
  const scope: Scope = {
    item: item.json,
    templates: service.templates ?? {},
    get: async (path) => {
      const [first = ''] = path.split('.', 1);
      if (first === 'fileNameOf') return (await scope.file(path.slice(first.length + 1))).fileName;
      if (Object.hasOwn(values, first)) return getPath(values, path);
      return hidden.has(first) ? undefined : context.parameter<unknown>(path, index, undefined);
    },
    file: async (path) => scope.fileNamed(String((await scope.get(path)) || 'data')),
    async fileNamed(property) {
      const file = context.binary.require(item, property, index);
      return new FileValue(await context.binary.bytes(file), file.mimeType, file.fileName);
    },
  };
  return scope;
}

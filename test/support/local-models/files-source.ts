import type { WeightSource } from '#core/host';
import { roleOfPath } from '#core/local-models/registry/formats/file-roles.ts';

/** A source of models in memory: the files of each by their paths. */
export function filesSource(models: Record<string, Record<string, Uint8Array<ArrayBuffer>>>): WeightSource {
  return {
    name: 'test',
    async locate(uri) {
      const files = Object.entries(models).find(([name]) => uri.endsWith(name))?.[1];
      return (
        files &&
        Object.entries(files).map(([name, bytes]) => ({
          role: roleOfPath(name),
          name,
          path: name,
          size: bytes.length,
          open: async (offset: number) => new Blob([bytes.subarray(offset)]).stream(),
        }))
      );
    },
  };
}

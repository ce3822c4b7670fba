import type { Blobs } from '#core/host';
import type { ModelRegistry } from '#core/local-models';
import type { InstalledWeights } from '../../app-server/weights.ts';

/** The installed models, as the tab may download them. */
export function installedWeights(
  registry: Pick<ModelRegistry, 'parse' | 'find'>,
  blobs: Blobs,
): InstalledWeights {
  return {
    blobs,
    async find(name) {
      const parsed = parse(registry, name);
      const model = parsed && (await registry.find(parsed));
      return (
        model && {
          files: model.files,
          licence: model.licences.join('\n') || undefined,
          manifest: model.manifest,
        }
      );
    },
  };
}

function parse(registry: Pick<ModelRegistry, 'parse'>, name: string) {
  try {
    return registry.parse(name);
  } catch {
    return undefined;
  }
}

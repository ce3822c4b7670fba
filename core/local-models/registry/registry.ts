import type { Host } from '../../host/host.ts';
import { ApiError } from '../../http/api-error.ts';
import { importFile } from './import-file.ts';
import { InstalledModels } from './installed-models.ts';
import { MetadataCache } from './metadata-cache.ts';
import { canonicalName, displayName } from './names.ts';
import { runPull } from './pull/run-pull.ts';
import { SharedPulls } from './pull/shared-pulls.ts';
import { parseReference } from './reference.ts';
import type { ModelRegistry } from './types.ts';

export function createRegistry(host: Host): ModelRegistry {
  const models = new InstalledModels(host);
  const metadata = new MetadataCache(host);
  const context = { host, models, metadata };
  const pulls = new SharedPulls(host.clock);
  return {
    // A model that was pulled by its address may be asked for by it too.
    parse: (name) => parseReference(name).name,
    display: displayName,
    find: (name) => models.find(name),
    list: () => models.list(),
    delete: (name) => models.delete(name),
    async metadata(model, options) {
      const weights = model.files.find((file) => file.role === 'weights');
      if (!weights) throw new ApiError(500, `${displayName(model.name)} has no weights`);
      return options?.arrays ? await metadata.read(weights.digest, true) : await metadata.get(weights.digest);
    },
    async *pull(request, signal) {
      const reference = parseReference(request.model);
      const key = `${canonicalName(reference.name)} ${request.insecure}`;
      yield* pulls.follow(
        key,
        (stop, emit) => runPull(context, reference, request.insecure, stop, emit),
        signal,
      );
    },
    importFile: (name, file, signal) => importFile(context, name, file, signal),
    close: () => pulls.close(),
  };
}

import type { Host } from '#core/host';
import { ApiError } from '#core/http';
import { flagSetting } from '#core/settings';
import { MetadataCache } from './formats/metadata-cache.ts';
import { prune } from './install/prune.ts';
import { storeUpload } from './install/store-stream.ts';
import { FolderModels } from './installed/folder-models.ts';
import { InstalledModels } from './installed/installed-models.ts';
import type { ModelRegistry, PullRequest } from './model-registry.ts';
import { canonicalName, displayName } from './names/model-name.ts';
import { parseReference } from './names/model-reference.ts';
import type { PullProgress } from './progress.ts';
import { SharedPulls } from './pull/shared-pulls.ts';

/** Most servers only run installed models, so the code that installs them is loaded at its first use. */
const loadInstallers = () => import('./lazy.ts');

/** Creates the registry of installed models on a host's storage. */
export function createRegistry(host: Host): ModelRegistry {
  const metadata = new MetadataCache(host);
  const foreign = host.modelFolder && new FolderModels(host, host.modelFolder, metadata);
  const models = new InstalledModels(host, foreign);
  const context = { host, models, metadata };
  const pulls = new SharedPulls(host.clock);
  async function* pull(request: PullRequest, signal: AbortSignal): AsyncGenerator<PullProgress> {
    const reference = parseReference(request.model);
    const key = `${canonicalName(reference.name)} ${request.insecure} ${request.variant ?? ''}`;
    const { runPull } = await loadInstallers();
    yield* pulls.follow(key, (stop, emit) => runPull(context, reference, request, stop, emit), signal);
  }
  return {
    // A model that was pulled by its address can also be requested by it.
    parse: (name) => parseReference(name).name,
    display: displayName,
    find: (name) => models.find(name),
    list: () => models.list(),
    // The models' folder belongs to another program.
    revision: () => (foreign ? undefined : host.records.revision?.('models')),
    delete: (name) => models.delete(name),
    async copy(source, destination) {
      const model = await models.find(source);
      if (!model) return false;
      const name = (await models.find(destination))?.name ?? destination;
      if (canonicalName(name) === canonicalName(model.name)) return true;
      const { readOnlyIn: _elsewhere, ...rest } = model;
      const unused = await models.put({ ...rest, name, modifiedAt: host.clock.now() });
      if (!flagSetting(host, 'OLLAMA_NOPRUNE')) await models.deleteBlobs(unused);
      return true;
    },
    async *create(request, signal) {
      const { runCreate: create } = await loadInstallers();
      const pullBase = (model: string, stop: AbortSignal) => pull({ model, insecure: false }, stop);
      yield* create({ ...context, pull: pullBase }, request, signal);
    },
    async *push(request, signal) {
      const { runPush: push } = await loadInstallers();
      yield* push(context, request, signal);
    },
    hasBlob: async (digest) => (await host.blobs.stat(digest)) !== undefined,
    storeBlob: (digest, bytes, signal) => storeUpload(host, digest, bytes, signal),
    async metadata(model, options) {
      const role = options?.role ?? 'weights';
      const isOneGguf = model.format === 'gguf' && !model.files.some((each) => each.role === 'part');
      if (role === 'weights' && !isOneGguf) return await metadata.ofModel(model.files, model.format);
      const file = model.files.find((each) => each.role === role);
      if (!file) throw new ApiError(500, `${displayName(model.name)} has no ${role}`);
      return options?.arrays ? await metadata.read(file.digest, true) : await metadata.ofFile(file.digest);
    },
    pull,
    async *importFiles(name, files, signal) {
      const { importFiles } = await loadInstallers();
      yield* importFiles(context, name, files, signal);
    },
    async prune(signal) {
      if (!flagSetting(host, 'OLLAMA_NOPRUNE')) await prune(host, models, signal);
    },
    close: () => pulls.close(),
  };
}

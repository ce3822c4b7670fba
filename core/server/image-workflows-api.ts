import type { Host } from '#core/host';
import { LazyApi, type LocalApis } from '#core/http';
import { hasUnfinishedPrompts } from '#core/image-workflows';
import type { ModelRegistry } from '#core/local-models';

/** Imports a JavaScript module by its file name or package name. */
export type ImportModule = (name: string) => Promise<Record<string, unknown>>;

/**
 * The image API, loaded by its first request. It is loaded at once when prompts of an earlier server are unfinished, so
 * that these continue.
 * @param languageModels the APIs that nodes with language models call
 */
export function lazyImageWorkflowsApi(
  host: Host,
  registry: ModelRegistry,
  languageModels: LocalApis,
  importModule: ImportModule | undefined,
): LazyApi {
  const api = new LazyApi('image-workflows', async () => {
    const lazy = await import('#core/image-workflows/lazy.ts');
    const files = host.setting('TABD_IMAGE_NODES');
    const customNodes =
      importModule && files ? await lazy.importCustomNodes(files, importModule, host.log) : [];
    const hostWithModels = lazy.withPulledModels(host, () => pulledImageModels(registry));
    return lazy.imageWorkflowsApi(hostWithModels, { languageModels, customNodes });
  });
  // In a cluster only one process has the queue. It loads the API by a request.
  if (host.cluster) return api;
  hasUnfinishedPrompts(host.records)
    .then((hasUnfinishedPrompts) => (hasUnfinishedPrompts ? api.router() : undefined))
    .catch((error) => host.log.error('image workflows cannot start', { error: String(error) }));
  return api;
}

const FORMATS: ReadonlySet<string> = new Set(['diffusers', 'safetensors']);

/** The installed image models, by the names that clients use in pulls, without the default tag. */
async function pulledImageModels(registry: ModelRegistry) {
  const installed = (await registry.list()).filter(({ format }) => FORMATS.has(format));
  if (installed.length === 0) return [];
  const { findPublishedFile } = await import('#core/local-models/lazy.ts');
  return installed.map(({ name, format, files, modifiedAt }) => {
    const [file] = files.filter((each) => each.name !== undefined);
    const publishedFolder = file?.name && findPublishedFile(file.name)?.folder;
    return {
      name: registry.display(name).replace(/:latest$/, ''),
      isSingleFile: format === 'safetensors',
      ...(publishedFolder && { publishedFolder }),
      files,
      modifiedAt,
    };
  });
}

/** GET /api/tags and GET /api/ps */
import { formatLocalTime, jsonResponse, keptJsonResponse, omitIfEmpty, type RouteCall } from '#core/http';
import type { InstalledModel, ModelMetadata } from '../base/installed-model.ts';
import { formatParameterCount } from '../registry/formats/gguf/format-parameter-count.ts';
import type { ModelRegistry } from '../registry/model-registry.ts';
import type { LocalModelServices } from '../runs/services.ts';

/** Fields of the configuration come before those of the model file. */
export function wireDetails(model: InstalledModel, metadata: ModelMetadata) {
  const { family, families, parameterSize: configured, quantization } = model.config ?? {};
  return {
    parent_model: model.parentModel ?? '',
    format: model.format,
    family: family ?? metadata.architecture,
    families: families ?? [family ?? metadata.architecture],
    parameter_size: configured ?? formatParameterCount(metadata.parameterCount),
    quantization_level: quantization ?? metadata.quantization,
  };
}

const NO_DETAILS = {
  parent_model: '',
  format: '',
  family: '',
  families: null,
  parameter_size: '',
  quantization_level: '',
};

/** The last list of each registry, for clients that ask again and again. */
const lastLists = new WeakMap<ModelRegistry, { revision: number; answer: () => Response }>();

/** The list is printed again only after a change of the installed models. */
export function listInstalled(services: LocalModelServices, _call: RouteCall): Response | Promise<Response> {
  const { registry } = services;
  const last = lastLists.get(registry);
  return last && last.revision === registry.revision() ? last.answer() : printInstalled(services);
}

async function printInstalled({ registry, host }: LocalModelServices): Promise<Response> {
  // Read before the list: a change during the wait makes the list an old one.
  const revision = registry.revision();
  const installed = await registry.list();
  // The device decides between variants, and may change. A damaged model is read again, because it may be repaired.
  let isLasting = !installed.some(({ variants }) => variants);
  const models = await Promise.all(
    installed.map(async (model) => {
      const name = registry.display(model.name);
      // A damaged model must not hide the others.
      const metadata = await registry.metadata(model).catch((error) => {
        isLasting = false;
        host.log.warn(`${name} cannot be read`, { error: String(error) });
      });
      return {
        name,
        model: name,
        modified_at: formatLocalTime(model.modifiedAt, host.clock.now()),
        size: model.size,
        digest: model.digest,
        details: metadata
          ? {
              ...wireDetails(model, metadata),
              context_length: omitIfEmpty(metadata.contextLength),
              embedding_length: omitIfEmpty(metadata.embeddingLength),
            }
          : NO_DETAILS,
        capabilities: omitIfEmpty(model.capabilities),
      };
    }),
  );
  const answer = keptJsonResponse({ models });
  if (isLasting && revision !== undefined) lastLists.set(registry, { revision, answer });
  return answer();
}

export async function listLoaded(
  { registry, textService, host }: LocalModelServices,
  _call: RouteCall,
): Promise<Response> {
  const loaded = textService
    .loaded()
    .toSorted((a, b) => Number(b.expiresAt > a.expiresAt) - Number(b.expiresAt < a.expiresAt));
  const models = await Promise.all(
    loaded.map(async (entry) => {
      // A deleted model stays loaded until its keep-alive ends.
      const model = await registry.find(registry.parse(entry.name));
      return {
        name: entry.name,
        model: entry.name,
        size: entry.size,
        digest: entry.digest,
        details: model ? wireDetails(model, await registry.metadata(model)) : NO_DETAILS,
        expires_at: formatLocalTime(entry.expiresAt, host.clock.now()),
        size_vram: entry.sizeGpu,
        context_length: entry.contextLength,
      };
    }),
  );
  const engines = loaded.map(({ engine, device }, index) => {
    const { name, details } = models[index]!;
    const parts = [name, details.format, engine, device.name, device.note].filter((part) => part);
    return parts.map((part) => encodeURIComponent(part!)).join('; ');
  });
  return jsonResponse({ models }, 200, engines.length > 0 ? { 'x-tabd-engines': engines.join(', ') } : {});
}

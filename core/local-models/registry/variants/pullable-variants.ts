import type { Host, PrebuiltModel } from '#core/host';
import type { ModelName } from '../../base/installed-model.ts';
import { type CatalogueEntry, findInCatalogue } from '../catalogue/catalogue.ts';
import { defaultHost, defaultNamespace, defaultTag } from '../names/model-name.ts';
import type { Variant } from './rate-variant.ts';

/** A variant from the list of an engine, or from the catalogue. */
export type PullableVariant = Variant & ({ prebuilt: PrebuiltModel } | { entry: CatalogueEntry });

/** The variants in which a model can be pulled, if the catalogue or an engine's list has its name. */
export async function pullableVariants(
  host: Pick<Host, 'prebuilt'>,
  name: ModelName,
): Promise<PullableVariant[]> {
  const list = (await host.prebuilt?.()) ?? [];
  const entry = findInCatalogue(name);
  if (!entry) return list.filter((model) => isNamed(model, name)).map(asVariant);
  const prebuilt = (entry.mlc ?? []).flatMap((id) => list.find((model) => model.id === id) ?? []);
  const isGraph = entry.sources.some((source) => 'file' in source && /\.onnx$/.test(source.file ?? ''));
  const format = entry.format ?? (isGraph ? 'onnx' : 'gguf');
  return [{ format, entry }, ...prebuilt.map(asVariant)];
}

function asVariant(prebuilt: PrebuiltModel): PullableVariant {
  return { format: prebuilt.format, quantization: prebuilt.quantization, prebuilt };
}

/** Whether the name is the model's id in the list, or the address of its repository at the hub. */
function isNamed({ id, repository }: PrebuiltModel, name: ModelName): boolean {
  if (/^(hf\.co|huggingface\.co)$/i.test(name.host)) {
    const path = `/${name.namespace}/${name.model}`.toLowerCase();
    return new URL(repository).pathname.toLowerCase() === path;
  }
  const isShort = name.host === defaultHost && name.namespace === defaultNamespace && name.tag === defaultTag;
  return isShort && name.model.toLowerCase() === id.toLowerCase();
}

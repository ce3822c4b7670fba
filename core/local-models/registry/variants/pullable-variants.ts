/** The formats in which a name of the catalogue, or of an engine's own list, can be pulled. */
import type { Host, PrebuiltModel } from '#core/host';
import type { ModelName } from '../../base/installed-model.ts';
import { type CatalogueEntry, catalogued } from '../catalogue/catalogue.ts';
import { defaultHost, defaultNamespace, defaultTag } from '../names/model-name.ts';
import type { Variant } from './choose-variant.ts';

export type PullVariant = Variant & ({ prebuilt: PrebuiltModel } | { entry: CatalogueEntry });

export async function variantsOf(host: Pick<Host, 'prebuilt'>, name: ModelName): Promise<PullVariant[]> {
  const list = (await host.prebuilt?.()) ?? [];
  const entry = catalogued(name);
  if (!entry) return list.filter((model) => isNamed(model, name)).map(asVariant);
  const prebuilt = (entry.mlc ?? []).flatMap((id) => list.find((model) => model.id === id) ?? []);
  const isGraph = entry.sources.some((source) => 'file' in source && /\.onnx$/.test(source.file ?? ''));
  const format = entry.format ?? (isGraph ? 'onnx' : 'gguf');
  return [{ format, entry }, ...prebuilt.map(asVariant)];
}

function asVariant(prebuilt: PrebuiltModel): PullVariant {
  return { format: prebuilt.format, quantization: prebuilt.quantization, prebuilt };
}

/** By the list's own name, or by the address of its repository at the hub. */
function isNamed({ id, repository }: PrebuiltModel, name: ModelName): boolean {
  if (/^(hf\.co|huggingface\.co)$/i.test(name.host)) {
    const path = `/${name.namespace}/${name.model}`.toLowerCase();
    return new URL(repository).pathname.toLowerCase() === path;
  }
  const isShort = name.host === defaultHost && name.namespace === defaultNamespace && name.tag === defaultTag;
  return isShort && name.model.toLowerCase() === id.toLowerCase();
}

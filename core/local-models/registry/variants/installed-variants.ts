/** A name that is installed in several formats: one record, whose fields are those of the best variant. */
import type { InstalledModel, InstalledVariant } from '../../base/installed-model.ts';
import {
  rateVariant,
  sortByRating,
  type Variant,
  type VariantDevice,
  type VariantRating,
} from './rate-variant.ts';

/** All variants of a model; the first is the one in its fields. */
export function allVariants(model: InstalledModel): InstalledVariant[] {
  const { name: _name, variants, ...own } = model;
  return [own, ...(variants ?? [])];
}

/** The model with those variants of the former record that it does not replace. */
export function withOtherVariants(model: InstalledModel, former: InstalledModel | undefined): InstalledModel {
  if (!former) return model;
  const others = allVariants(former).filter((variant) => variantKey(variant) !== variantKey(model));
  return others.length > 0 ? { ...model, variants: others } : model;
}

/** The model with the best variant for the device in its fields. */
export function withBestVariant(model: InstalledModel, device: VariantDevice): InstalledModel {
  if (!model.variants) return model;
  const sorted = sortByRating(
    allVariants(model).map((installed) => ({ ...toVariant(installed), installed })),
    device,
  );
  const [best, ...others] = sorted.map(({ installed }) => installed);
  return { ...best!, name: model.name, variants: others };
}

/** An installed variant with its rating for a device. */
export interface RatedVariant extends VariantRating {
  model: InstalledVariant;
  /** Whether this variant is the one that runs. */
  chosen: boolean;
}

export function rateInstalledVariants(model: InstalledModel, device: VariantDevice): RatedVariant[] {
  return allVariants(model).map((variant, index) => ({
    model: variant,
    chosen: index === 0,
    ...rateVariant(toVariant(variant), device),
  }));
}

function toVariant({ format, config }: InstalledVariant): Variant {
  return { format, quantization: config?.quantization };
}

/** A new variant replaces the former one with the same key. */
function variantKey(model: InstalledVariant): string {
  // One GGUF file is enough: all of them run on the same devices.
  return model.format === 'mlc' ? `mlc:${model.config?.quantization}` : model.format;
}

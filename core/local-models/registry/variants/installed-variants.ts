/** A name that is installed in several formats: one record, of which the best for this device is seen. */
import type { InstalledModel, InstalledVariant } from '../../base/installed-model.ts';
import { bestFirst, judge, type Variant, type VariantDevice, type Verdict } from './choose-variant.ts';

/** All formats of it, the one that is seen first. */
export function allVariants(model: InstalledModel): InstalledVariant[] {
  const { name: _name, variants, ...own } = model;
  return [own, ...(variants ?? [])];
}

/** The model beside what of the former record is in another format or quantisation. */
export function beside(model: InstalledModel, before: InstalledModel | undefined): InstalledModel {
  if (!before) return model;
  const others = allVariants(before).filter((each) => key(each) !== key(model));
  return others.length > 0 ? { ...model, variants: others } : model;
}

/** The same record with the format in sight that runs best on the device. */
export function bestOf(model: InstalledModel, device: VariantDevice): InstalledModel {
  if (!model.variants) return model;
  const ordered = bestFirst(
    allVariants(model).map((each) => ({ ...described(each), each })),
    device,
  );
  const [first, ...others] = ordered.map(({ each }) => each);
  return { ...first!, name: model.name, variants: others };
}

export interface ShownVariant extends Verdict {
  model: InstalledVariant;
  chosen: boolean;
}

export function verdicts(model: InstalledModel, device: VariantDevice): ShownVariant[] {
  return allVariants(model).map((each, index) => ({
    model: each,
    chosen: index === 0,
    ...judge(described(each), device),
  }));
}

function described({ format, config }: InstalledVariant): Variant {
  return { format, quantization: config?.quantization };
}

function key(model: InstalledVariant): string {
  // Of GGUF files one is enough: they run on the same devices.
  return model.format === 'mlc' ? `mlc:${model.config?.quantization}` : model.format;
}

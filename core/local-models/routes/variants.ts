import type { InstalledModel } from '../base/installed-model.ts';
import type { VariantDevice } from '../registry/variants/choose-variant.ts';
import { verdicts } from '../registry/variants/installed-variants.ts';

/** Of a name that is installed in several formats: which there are, which runs here, and why. */
export function wireVariants(model: InstalledModel, device: VariantDevice) {
  return verdicts(model, device).map(({ model: variant, chosen, rank, reason }) => ({
    format: variant.format,
    quantization_level: variant.config?.quantization ?? '',
    digest: variant.digest,
    size: variant.size,
    chosen,
    usable: rank !== undefined,
    reason,
  }));
}

import type { InstalledModel } from '../base/installed-model.ts';
import { rateInstalledVariants } from '../registry/variants/installed-variants.ts';
import type { VariantDevice } from '../registry/variants/rate-variant.ts';

/** Lists the formats in which a model is installed, which of them runs on this device, and why. */
export function wireVariants(model: InstalledModel, device: VariantDevice) {
  return rateInstalledVariants(model, device).map(({ model: variant, chosen, rank, reason }) => ({
    format: variant.format,
    quantization_level: variant.config?.quantization ?? '',
    digest: variant.digest,
    size: variant.size,
    chosen,
    usable: rank !== undefined,
    reason,
  }));
}

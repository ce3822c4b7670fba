/** Rates the formats of a model for a device: one name may mean the same model in several formats. */
import type { Host, ModelFormat } from '#core/host';

export interface Variant {
  format: ModelFormat;
  /** `Q4_1`, `q0f32`. For some variants it is unknown before the pull. */
  quantization?: string | undefined;
}

/** The properties of a device that ratings depend on. */
export interface VariantDevice {
  /** The formats that its engines run. */
  formats: readonly ModelFormat[];
  /** Whether the device has a GPU that MLC models can use. */
  gpu: boolean;
  /** Whether the GPU supports 16-bit floats in shaders. */
  f16: boolean;
}

export interface VariantRating {
  /** Lower is better. Undefined: the device cannot run it. */
  rank: number | undefined;
  /** The explanation for people. */
  reason: string;
}

export async function variantDevice(
  host: Pick<Host, 'languageEngines' | 'tensorEngine' | 'machine' | 'capabilities'>,
): Promise<VariantDevice> {
  const formats = [...new Set(host.languageEngines.flatMap((engine) => engine.formats))];
  if (host.tensorEngine) formats.push('diffusers', 'safetensors');
  if (!host.capabilities.usesWebGpu) return { formats, gpu: false, f16: false };
  const gpus = await host.machine.gpus().catch(() => []);
  return { formats, gpu: gpus.length > 0, f16: gpus.some(({ shaderF16 }) => shaderF16) };
}

/**
 * Rates a variant for a device.
 * GGUF models run everywhere, with every option of the API, and on GPUs with 16-bit floats. On a GPU without them a GGUF
 * model runs on the CPU, and an MLC model of 32-bit floats on the GPU.
 */
export function rateVariant({ format, quantization = '' }: Variant, device: VariantDevice): VariantRating {
  if (!device.formats.includes(format)) {
    return { rank: undefined, reason: `nothing here runs the format ${format}` };
  }
  if (format !== 'mlc') {
    const isSlow = format === 'gguf' && device.gpu && !device.f16;
    return {
      rank: isSlow ? 2 : 0,
      reason: isSlow ? 'on the CPU: this GPU has no 16-bit floats in shaders' : 'runs with every option',
    };
  }
  if (!device.gpu) return { rank: undefined, reason: 'MLC models need WebGPU, which found no adapter' };
  const isHalfPrecision = /f16/.test(quantization);
  if (isHalfPrecision && !device.f16) {
    return { rank: undefined, reason: 'this GPU has no 16-bit floats in shaders (shader-f16)' };
  }
  return {
    rank: isHalfPrecision ? 1.2 : 1.5,
    reason: isHalfPrecision ? 'on the GPU' : 'on the GPU, with 32-bit floats',
  };
}

/** Sorts variants from best to worst. Those that the device cannot run come last; equal ones stay in their order. */
export function sortByRating<T extends Variant>(variants: T[], device: VariantDevice): T[] {
  const rank = (variant: T) => rateVariant(variant, device).rank ?? Number.POSITIVE_INFINITY;
  return variants.toSorted((a, b) => rank(a) - rank(b) || 0);
}

/**
 * @param selector a format, a quantization, or both: `mlc`, `q0f32`, `mlc:q0f32`
 */
export function matchesVariant({ format, quantization }: Variant, selector: string): boolean {
  const [first = '', second] = selector.toLowerCase().split(':');
  const label = quantization?.toLowerCase();
  if (second !== undefined) return first === format && second === label;
  return first === format || first === label;
}

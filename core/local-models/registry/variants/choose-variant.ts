/** One name may stand for the same model in several formats; which of them is the best here. */
import type { Host, ModelFormat } from '#core/host';

export interface Variant {
  format: ModelFormat;
  /** `Q4_1`, `q0f32`; unknown before a pull of some. */
  quantization?: string | undefined;
}

/** What of this device decides. */
export interface VariantDevice {
  /** What the engines here run. */
  formats: readonly ModelFormat[];
  gpu: boolean;
  /** 16-bit floats in shaders. */
  f16: boolean;
}

export interface Verdict {
  /** Lower is better; undefined: cannot be run here. */
  rank: number | undefined;
  /** For people: why. */
  reason: string;
}

export async function variantDevice(
  host: Pick<Host, 'languageEngines' | 'tensorEngine' | 'machine' | 'capabilities'>,
): Promise<VariantDevice> {
  const formats = [...new Set(host.languageEngines.flatMap((engine) => engine.formats))];
  if (host.tensorEngine) formats.push('diffusers');
  if (!host.capabilities.usesWebGpu) return { formats, gpu: false, f16: false };
  const gpus = await host.machine.gpus().catch(() => []);
  return { formats, gpu: gpus.length > 0, f16: gpus.some(({ shaderF16 }) => shaderF16) };
}

/**
 * GGUF models run everywhere, with every option of the API and on GPUs that have 16-bit floats. On a GPU without them
 * they run on the CPU only, and an MLC model of 32-bit floats on the GPU.
 */
export function judge({ format, quantization = '' }: Variant, device: VariantDevice): Verdict {
  if (!device.formats.includes(format)) {
    return { rank: undefined, reason: `nothing here runs the format ${format}` };
  }
  if (format !== 'mlc') {
    const slow = format === 'gguf' && device.gpu && !device.f16;
    return {
      rank: slow ? 2 : 0,
      reason: slow ? 'on the CPU: this GPU has no 16-bit floats in shaders' : 'runs with every option',
    };
  }
  if (!device.gpu) return { rank: undefined, reason: 'MLC models need WebGPU, which found no adapter' };
  const half = /f16/.test(quantization);
  if (half && !device.f16) {
    return { rank: undefined, reason: 'this GPU has no 16-bit floats in shaders (shader-f16)' };
  }
  return {
    rank: half ? 1.2 : 1.5,
    reason: half ? 'on the GPU' : 'on the GPU, with 32-bit floats',
  };
}

/** The best first; those that cannot be run here last. Equals stay in their order. */
export function bestFirst<T extends Variant>(variants: T[], device: VariantDevice): T[] {
  const rank = (variant: T) => judge(variant, device).rank ?? Number.POSITIVE_INFINITY;
  return variants.toSorted((a, b) => rank(a) - rank(b) || 0);
}

/** Whether `wanted` means this one: `mlc`, `gguf`, `q0f32`, or both as `mlc:q0f32`. */
export function matchesVariant({ format, quantization }: Variant, wanted: string): boolean {
  const [first = '', second] = wanted.toLowerCase().split(':');
  const quant = quantization?.toLowerCase();
  if (second !== undefined) return first === format && second === quant;
  return first === format || first === quant;
}

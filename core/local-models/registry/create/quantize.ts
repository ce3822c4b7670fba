import { ApiError } from '#core/http';

const targets = ['F32', 'F16', 'Q4_K_S', 'Q4_K_M', 'Q8_0'];
const sources = ['F16', 'BF16', 'F32'];

/** Refuses what is not asked for in a form that is known, or not had. `quantization` is that of the weights. */
export function checkQuantize(asked: string | undefined, quantization: string): void {
  const wanted = (asked ?? '').toUpperCase();
  if (wanted === '') return;
  if (!targets.includes(wanted)) {
    throw new ApiError(
      500,
      `unsupported quantization type ${wanted} - supported types are ${targets.join(', ')}`,
    );
  }
  if (!sources.includes(quantization)) {
    throw new ApiError(500, 'quantization is only supported for F16, BF16 and F32 models');
  }
  if (wanted === quantization) return;
  throw new ApiError(
    501,
    `this server has no quantizer: make a ${wanted} file of the model with llama-quantize and create it from that`,
  );
}

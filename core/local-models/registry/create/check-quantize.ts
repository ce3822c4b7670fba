import { ApiError } from '#core/http';

const TARGETS = ['F32', 'F16', 'Q4_K_S', 'Q4_K_M', 'Q8_0'];
const SOURCES = ['F16', 'BF16', 'F32'];

/**
 * Checks the option `quantize` of a create request. tabd has no quantizer, so only the present quantization is valid.
 * @param quantization the quantization of the weights
 * @throws ApiError 500 with Ollama's texts, 501 for a conversion that tabd cannot do
 */
export function checkQuantize(option: string | undefined, quantization: string): void {
  const target = (option ?? '').toUpperCase();
  if (target === '') return;
  if (!TARGETS.includes(target)) {
    throw new ApiError(
      500,
      `unsupported quantization type ${target} - supported types are ${TARGETS.join(', ')}`,
    );
  }
  if (!SOURCES.includes(quantization)) {
    throw new ApiError(500, 'quantization is only supported for F16, BF16 and F32 models');
  }
  if (target === quantization) return;
  throw new ApiError(
    501,
    `this server has no quantizer: make a ${target} file of the model with llama-quantize and create it from that`,
  );
}

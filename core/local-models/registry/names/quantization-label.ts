const LABEL =
  /(?:^|[._/-])((?:UD-)?(?:I?Q[1-8]_(?:K(?:_(?:XXL|XL|XS|S|M|L))?|[01]|NL|XXS|XS|S|M)(?:_[48]_[48])?|TQ[12]_0|MXFP4(?:_MOE)?|NVFP4|BF16|F16|F32|FP16|FP32))(?=$|[._/-])/gi;

/** The last quantization in a file name, in the spelling of the name: `Q4_K_M`, `IQ3_XXS`, `f16`. Undefined: none. */
export function quantizationLabel(fileName: string): string | undefined {
  return [...fileName.replace(/\.gguf$/i, '').matchAll(LABEL)].at(-1)?.[1];
}

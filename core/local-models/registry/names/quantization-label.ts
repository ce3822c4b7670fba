const label =
  /(?:^|[._/-])((?:UD-)?(?:I?Q[1-8]_(?:K(?:_(?:XXL|XL|XS|S|M|L))?|[01]|NL|XXS|XS|S|M)(?:_[48]_[48])?|TQ[12]_0|MXFP4(?:_MOE)?|NVFP4|BF16|F16|F32|FP16|FP32))(?=$|[._/-])/gi;

/** The quantisation that a file name tells, as it is written there: `Q4_K_M`, `IQ3_XXS`, `f16`. The last one counts. */
export function quantLabel(fileName: string): string | undefined {
  return [...fileName.replace(/\.gguf$/i, '').matchAll(label)].at(-1)?.[1];
}

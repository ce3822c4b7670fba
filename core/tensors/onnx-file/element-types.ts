/** Names of ONNX's element types by their number in `TensorProto.DataType`. The names are those of safetensors. */
export const ONNX_ELEMENT_TYPES: Readonly<Record<number, string>> = {
  1: 'F32',
  2: 'U8',
  3: 'I8',
  6: 'I32',
  7: 'I64',
  9: 'BOOL',
  10: 'F16',
  11: 'F64',
  16: 'BF16',
};

/** The number of a named element type, or NaN for a name that is not in the table. */
export const onnxElementNumber = (type: string): number =>
  Number(Object.keys(ONNX_ELEMENT_TYPES).find((number) => ONNX_ELEMENT_TYPES[Number(number)] === type));

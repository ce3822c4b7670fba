/**
 * ONNX graphs: running them in workers or processes over onnxruntime, and reading and writing the files that they and
 * their weights are stored in.
 */

export { type BlockLayout, blockFloats, blockLayout } from './gguf/block-floats.ts';
export { bfloats, halfFloat, halfFloats, toHalf } from './gguf/half.ts';
export { type GgufHeader, type GgufTensor, readGgufHeader } from './gguf/header.ts';
export { createOnnxEngine } from './onnx-engine.ts';
export { ONNX_ELEMENT_TYPES, onnxElementNumber } from './onnx-file/element-types.ts';
export {
  encodeProtobuf,
  type ProtobufField,
  type ProtobufMessage,
  protobufMessage,
} from './onnx-file/encode-protobuf.ts';
export {
  blockFloatsName,
  GraphBuilder,
  type StoredTensor,
  type ValueInfo,
} from './onnx-file/graph-builder.ts';
export { type AttributeValue, attributeMessage } from './onnx-file/node-attribute-message.ts';
export { type NodeAttributes, readNodeAttributes } from './onnx-file/node-attributes.ts';
export { forEachField, ProtobufReader, type ReadRange } from './onnx-file/protobuf-reader.ts';
export {
  type OnnxInitializer,
  type OnnxNode,
  type OnnxOutline,
  readOnnxOutline,
} from './onnx-file/read-graph-file.ts';
export type { Ort } from './onnxruntime.ts';
export { readSafetensors, readSafetensorsTexts, type SafetensorsEntry } from './read-safetensors.ts';
export type { SessionChannel } from './remote-session.ts';
export { type PreparedRuntime, ServedSession } from './served-session.ts';
export type { OpenMessage, SessionCommand, SessionReport } from './session-protocol.ts';

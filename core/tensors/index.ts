export { onnxEngine } from './onnx-engine.ts';
export { ELEMENT_TYPES, elementNumber } from './onnx-file/element-types.ts';
export { encode, type Field, type Message, message } from './onnx-file/encode-protobuf.ts';
export { Cursor, eachField, type ReadBytes } from './onnx-file/protobuf-reader.ts';
export {
  type GraphNode,
  type GraphOutline,
  type Initializer,
  readGraphFile,
} from './onnx-file/read-graph-file.ts';
export type { Ort } from './onnxruntime.ts';
export { readSafetensors, type StoredTensor } from './read-safetensors.ts';
export { ProviderUnusable, type TensorChannel } from './remote-session.ts';
export { DeviceUnusable, ServedSession } from './served-session.ts';
export type { FromTensors, OpenMessage, ToTensors } from './session-protocol.ts';

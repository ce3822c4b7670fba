export { onnxEngine } from './engine.ts';
export { ELEMENT_TYPES, elementNumber } from './onnx-file/element-types.ts';
export { encode, type Field, type Message, message } from './onnx-file/protobuf.ts';
export { Cursor, eachField, type ReadBytes } from './onnx-file/protobuf-reader.ts';
export {
  type GraphNode,
  type GraphOutline,
  type Initializer,
  readGraphFile,
} from './onnx-file/read-graph-file.ts';
export type { FromTensors, OpenMessage, ToTensors } from './protocol.ts';
export { ProviderUnusable, type TensorChannel } from './remote-session.ts';
export type { Ort } from './runtime.ts';
export { readSafetensors, type StoredTensor } from './safetensors.ts';
export { DeviceUnusable, ServedSession } from './served-session.ts';

/** The part of onnxruntime's JavaScript interface that is used, and the conversion of tensors to it and back. */
import type { Tensor, TensorSlot, TensorType } from '#core/host';

export interface OrtTensor {
  readonly type: string;
  readonly dims: readonly number[];
  getData(): Promise<unknown>;
  dispose(): void;
}

export interface OrtSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  readonly inputMetadata: readonly OrtMetadata[];
  readonly outputMetadata: readonly OrtMetadata[];
  run(feeds: Record<string, OrtTensor>, fetches: readonly string[]): Promise<Record<string, OrtTensor>>;
}

interface OrtMetadata {
  readonly name: string;
  readonly isTensor: boolean;
  readonly type?: string;
  readonly shape?: readonly (number | string)[];
}

/** Options that differ by platform. `extra` holds onnxruntime's configuration entries; dots separate its levels. */
export interface SessionOptions {
  graphOptimizationLevel?: 'disabled' | 'basic' | 'extended' | 'all';
  intraOpNumThreads?: number;
  enableCpuMemArena?: boolean;
  enableMemPattern?: boolean;
  /** Outputs that stay on the GPU. Others are copied to memory. */
  preferredOutputLocation?: Record<string, 'gpu-buffer'>;
  extra?: Record<string, Record<string, string>>;
}

/** Options of several sources. Later ones win. */
export function mergeOptions(...sources: (SessionOptions | undefined)[]): SessionOptions {
  const extra: Record<string, Record<string, string>> = {};
  for (const source of sources)
    for (const [group, entries] of Object.entries(source?.extra ?? {}))
      extra[group] = { ...extra[group], ...entries };
  return { ...Object.assign({}, ...sources), ...(Object.keys(extra).length > 0 && { extra }) };
}

/** A provider by its name. Nodes in `forceCpuNodeNames` run on the CPU all the same. */
export type ExecutionProvider = string | { name: string; forceCpuNodeNames: string[] };

/** onnxruntime-web or onnxruntime-node. */
export interface Ort {
  InferenceSession: {
    create(
      model: Uint8Array,
      options: SessionOptions & {
        executionProviders: ExecutionProvider[];
        externalData?: { path: string; data: Uint8Array | Blob }[];
        logSeverityLevel?: 0 | 1 | 2 | 3 | 4;
      },
    ): Promise<unknown>;
  };
  Tensor: new (type: never, data: never, dims: readonly number[]) => unknown;
}

const ARRAYS = {
  float32: Float32Array,
  float16: Uint16Array,
  int64: BigInt64Array,
  int32: Int32Array,
  int8: Int8Array,
  uint8: Uint8Array,
  bool: Uint8Array,
} satisfies Record<TensorType, unknown>;

type Float16ArrayConstructor = new (
  buffer: ArrayBufferLike,
  offset: number,
  length: number,
) => ArrayBufferView;
/** On platforms that have this class, onnxruntime uses it for 16-bit floats in place of `Uint16Array`. */
const Float16Array = (globalThis as { Float16Array?: Float16ArrayConstructor }).Float16Array;

/** The tensor as onnxruntime takes it, over the same memory. */
export function toOrtTensor(ort: Ort, tensor: Tensor): OrtTensor {
  const { type, data, shape } = tensor;
  const numbers =
    type === 'float16' && Float16Array ? new Float16Array(data.buffer, data.byteOffset, data.length) : data;
  return new ort.Tensor(type as never, numbers as never, shape) as OrtTensor;
}

/** Copies a tensor into memory of its own, which can be transferred. Rejects for a type that `Tensor` lacks. */
export async function fromOrtTensor(tensor: OrtTensor): Promise<Tensor> {
  const type = tensorType(tensor.type);
  if (!type) throw new Error(`an output is of type ${tensor.type}, which cannot be passed on`);
  const view = (await tensor.getData()) as ArrayBufferView & { length: number };
  const Data = ARRAYS[type] as new (buffer: ArrayBufferLike, offset: number, length: number) => Float32Array;
  const data = new Data(view.buffer, view.byteOffset, view.length).slice();
  return { type, shape: [...tensor.dims], data } as Tensor;
}

/** The tensor type of a name. Undefined for a type that `Tensor` lacks. */
export function tensorType(name: string | undefined): TensorType | undefined {
  return name !== undefined && Object.hasOwn(ARRAYS, name) ? (name as TensorType) : undefined;
}

/** An input or output from onnxruntime's description. It writes a free size without a name as '' or -1. */
export function toTensorSlot({ name, isTensor, type, shape }: OrtMetadata): TensorSlot {
  const sizeOf = (dimension: number | string) =>
    dimension === '' || dimension === -1 ? undefined : dimension;
  return { name, type: isTensor ? tensorType(type) : undefined, shape: (shape ?? []).map(sizeOf) };
}

/**
 * Checks that the data has as many numbers as its shape says: onnxruntime would read past the end.
 * @throws Error that names the input
 */
export function checkTensor(name: string, { shape, data }: Tensor): void {
  const count = shape.reduce((product, size) => product * size, 1);
  if (!shape.every((size) => Number.isInteger(size) && size >= 0) || count !== data.length) {
    throw new Error(`the input ${name} has ${data.length} numbers and the shape [${shape.join(', ')}]`);
  }
}

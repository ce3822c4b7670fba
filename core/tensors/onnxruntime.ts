/** onnxruntime's JavaScript interface as far as it is used, and tensors to it and back. */
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
  run(feeds: Record<string, OrtTensor>, wanted: readonly string[]): Promise<Record<string, OrtTensor>>;
}

interface OrtMetadata {
  readonly name: string;
  readonly isTensor: boolean;
  readonly type?: string;
  readonly shape?: readonly (number | string)[];
}

export interface Ort {
  InferenceSession: {
    create(
      model: Uint8Array,
      options: {
        executionProviders: string[];
        externalData?: { path: string; data: Uint8Array | Blob }[];
        logSeverityLevel?: 0 | 1 | 2 | 3 | 4;
      },
    ): Promise<unknown>;
  };
  Tensor: new (type: never, data: never, dims: readonly number[]) => unknown;
}

const TYPES = {
  float32: Float32Array,
  float16: Uint16Array,
  int64: BigInt64Array,
  int32: Int32Array,
  int8: Int8Array,
  uint8: Uint8Array,
  bool: Uint8Array,
} satisfies Record<TensorType, unknown>;

type Array16 = new (buffer: ArrayBufferLike, offset: number, length: number) => ArrayBufferView;
/** Where there are 16-bit floats, onnxruntime takes and gives no bare bits. */
const Float16 = (globalThis as { Float16Array?: Array16 }).Float16Array;

export function toOrtTensor(ort: Ort, tensor: Tensor): OrtTensor {
  const { type, data, shape } = tensor;
  const numbers =
    type === 'float16' && Float16 ? new Float16(data.buffer, data.byteOffset, data.length) : data;
  return new ort.Tensor(type as never, numbers as never, shape) as OrtTensor;
}

/** A copy in memory of its own, so that it can be handed over. Throws for a type that cannot be passed on. */
export async function fromOrtTensor(tensor: OrtTensor): Promise<Tensor> {
  const type = tensorType(tensor.type);
  if (!type) throw new Error(`an output is of type ${tensor.type}, which cannot be passed on`);
  const view = (await tensor.getData()) as ArrayBufferView & { length: number };
  const Data = TYPES[type] as new (buffer: ArrayBufferLike, offset: number, length: number) => Float32Array;
  const data = new Data(view.buffer, view.byteOffset, view.length).slice();
  return { type, shape: [...tensor.dims], data } as Tensor;
}

export function tensorType(name: string | undefined): TensorType | undefined {
  return name !== undefined && Object.hasOwn(TYPES, name) ? (name as TensorType) : undefined;
}

export function slotOf({ name, isTensor, type, shape }: OrtMetadata): TensorSlot {
  const size = (each: number | string) => (each === '' || each === -1 ? undefined : each);
  return { name, type: isTensor ? tensorType(type) : undefined, shape: (shape ?? []).map(size) };
}

/** The shape says as many numbers as there are; onnxruntime would read past the end. */
export function checkTensor(name: string, { shape, data }: Tensor): void {
  const count = shape.reduce((product, size) => product * size, 1);
  if (!shape.every((size) => Number.isInteger(size) && size >= 0) || count !== data.length) {
    throw new Error(`the input ${name} has ${data.length} numbers and the shape [${shape.join(', ')}]`);
  }
}

import { ModelCorrupt, ModelUnsupported } from '#core/host';
import { bytesOfType } from './element-types.ts';

/** A text of a file for messages: in a hostile file it has any length. */
export const shortened = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);

/** Numbers that one or more tensors share. They lie together in the file. */
export class TorchStorage {
  /** Their position in the file. Undefined until the file's layout is read. */
  start: number | undefined;

  constructor(
    /** Names it within the file. */
    readonly key: string,
    /** `F32`, `F16`, `BF16`, … */
    readonly type: string,
    /** How many numbers it has. */
    readonly count: number,
  ) {}

  /** Bytes. */
  get size(): number {
    return this.count * bytesOfType(this.type);
  }
}

/** A view of a storage, as the file describes it. */
export class TorchTensor {
  constructor(
    readonly storage: TorchStorage,
    /** `F32`, `F16`, `BF16`, … */
    readonly type: string,
    /** The numbers of the storage before its first. */
    readonly offset: number,
    readonly shape: readonly number[],
    /** The distance of neighbours along each axis, in numbers. */
    readonly strides: readonly number[],
  ) {}

  /**
   * Its bytes [start, end) of the file.
   * @param name of the tensor, for messages
   * @throws ModelCorrupt when they lie outside of its storage
   * @throws ModelUnsupported when its numbers are not in the order of its axes without gaps
   */
  range(name: string): { start: number; end: number } {
    const { storage, shape } = this;
    const described = `its tensor ${shortened(name)} of shape [${shape.join(', ')}]`;
    const size = bytesOfType(this.type);
    const [from, bytes] = [this.offset * size, shape.reduce((product, side) => product * side, size)];
    if (storage.start === undefined || !(from + bytes <= storage.size))
      throw new ModelCorrupt(`${described} lies outside of its storage`);
    if (!this.#isContiguous())
      throw new ModelUnsupported(
        `${described} has the strides [${this.strides.join(', ')}]: call contiguous() on it in Python and save it again`,
      );
    return { start: storage.start + from, end: storage.start + from + bytes };
  }

  /** Strides of empty tensors, and of axes with a single step, have no meaning. */
  #isContiguous(): boolean {
    const { shape, strides } = this;
    let count = 1;
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      if (shape[axis] !== 1 && strides[axis] !== count) return shape.includes(0);
      count *= shape[axis]!;
    }
    return true;
  }
}

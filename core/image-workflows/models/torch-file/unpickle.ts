/** Values in Python's pickle format, as torch writes them: read as data, never run. */
import { ModelCorrupt } from '#core/host';

/** A thing of Python by its name: `collections.OrderedDict`. */
export class PythonName {
  constructor(readonly name: string) {}
}

/** What a pickle cannot hold itself. Both throw for what they do not know. */
export interface PickleEnvironment {
  /** What a call gives. */
  call(name: string, args: readonly unknown[]): unknown;
  /** What lies elsewhere under an id. */
  outside(id: unknown): unknown;
}

/** In the place of a stack, where parts of a list begin. */
const MARK = Symbol('mark');

/**
 * Dictionaries become maps, tuples and lists arrays. Protocol 2, and of its operations those that tables of tensors need: others throw
 * `ModelCorrupt`, as do values that end early.
 */
export function unpickle(bytes: Uint8Array, around: PickleEnvironment): unknown {
  try {
    return new Unpickler(bytes, around).run();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ModelCorrupt('its table of tensors ends early', { cause: error });
  }
}

class Unpickler {
  #at = 0;
  readonly #view: DataView;
  readonly #stack: unknown[] = [];
  readonly #memo = new Map<number, unknown>();

  constructor(
    private readonly bytes: Uint8Array,
    private readonly around: PickleEnvironment,
  ) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  run(): unknown {
    for (;;) {
      const code = this.#byte();
      if (code === 0x2e) return this.#pop();
      if (!this.#value(code) && !this.#structure(code))
        throw new ModelCorrupt(
          `its table of tensors is no plain one: it has the operation 0x${code.toString(16)}`,
        );
    }
  }

  /** Operations that put one value on the stack. */
  #value(code: number): boolean {
    const push = (value: unknown) => this.#stack.push(value) > 0;
    switch (String.fromCharCode(code)) {
      case 'N':
        return push(null);
      case '\x88':
        return push(true);
      case '\x89':
        return push(false);
      case 'K':
        return push(this.#byte());
      case 'M':
        return push(this.#view.getUint16(this.#skip(2), true));
      case 'J':
        return push(this.#view.getInt32(this.#skip(4), true));
      case '\x8a':
        return push(this.#long());
      case 'G':
        return push(this.#view.getFloat64(this.#skip(8)));
      case 'X':
        return push(this.#text(this.#count()));
      case ')':
      case ']':
        return push([]);
      case '}':
        return push(new Map());
      case '(':
        return push(MARK);
      case 'c':
        return push(new PythonName(`${this.#line()}.${this.#line()}`));
      case 'h':
        return push(this.#remembered(this.#byte()));
      case 'j':
        return push(this.#remembered(this.#count()));
      default:
        return false;
    }
  }

  /** Operations on what is on the stack. */
  #structure(code: number): boolean {
    const stack = this.#stack;
    switch (String.fromCharCode(code)) {
      case '\x80':
        return this.#byte() === 2;
      case 'q':
        this.#memo.set(this.#byte(), stack.at(-1));
        return true;
      case 'r':
        this.#memo.set(this.#count(), stack.at(-1));
        return true;
      case 't':
        stack.push(this.#marked());
        return true;
      case '\x85':
      case '\x86':
      case '\x87':
        stack.push(Array.from({ length: code - 0x84 }, () => this.#pop()).reverse());
        return true;
      case 'a':
      case 'e': {
        const added = code === 0x61 ? [this.#pop()] : this.#marked();
        const list = stack.at(-1);
        if (!Array.isArray(list)) throw this.#wrong();
        for (const one of added) list.push(one);
        return true;
      }
      case 's':
      case 'u': {
        const added = code === 0x73 ? [this.#pop(), this.#pop()].reverse() : this.#marked();
        const table = stack.at(-1);
        if (!(table instanceof Map)) throw this.#wrong();
        for (let i = 0; i + 1 < added.length; i += 2) table.set(added[i], added[i + 1]);
        return true;
      }
      case 'R': {
        const args = this.#pop();
        const what = this.#pop();
        if (!(what instanceof PythonName) || !Array.isArray(args)) throw this.#wrong();
        stack.push(this.around.call(what.name, args));
        return true;
      }
      case 'b':
        // What a table has beside its entries: versions of modules.
        this.#pop();
        if (!(stack.at(-1) instanceof Map)) throw this.#wrong();
        return true;
      case 'Q':
        stack.push(this.around.outside(this.#pop()));
        return true;
      default:
        return false;
    }
  }

  #pop(): unknown {
    if (this.#stack.length === 0) throw this.#wrong();
    return this.#stack.pop();
  }

  /** What was put on the stack since the last mark. */
  #marked(): unknown[] {
    const mark = this.#stack.lastIndexOf(MARK);
    if (mark < 0) throw this.#wrong();
    return this.#stack.splice(mark).slice(1);
  }

  #remembered(place: number): unknown {
    if (!this.#memo.has(place)) throw this.#wrong();
    return this.#memo.get(place);
  }

  #wrong(): ModelCorrupt {
    return new ModelCorrupt('its table of tensors does not fit together');
  }

  #skip(count: number): number {
    const at = this.#at;
    this.#at += count;
    if (this.#at > this.bytes.length) throw new RangeError('the end of the table');
    return at;
  }

  #byte(): number {
    return this.bytes[this.#skip(1)]!;
  }

  #count(): number {
    return this.#view.getUint32(this.#skip(4), true);
  }

  #text(length: number): string {
    const at = this.#skip(length);
    return new TextDecoder().decode(this.bytes.subarray(at, at + length));
  }

  #line(): string {
    const end = this.bytes.indexOf(0x0a, this.#at);
    if (end < 0) throw new RangeError('the end of the table');
    const text = this.#text(end - this.#at);
    this.#skip(1);
    return text;
  }

  /** Whole numbers of any length, negative ones as two's complement. */
  #long(): number {
    const length = this.#byte();
    const at = this.#skip(length);
    let value = 0n;
    for (let i = length - 1; i >= 0; i--) value = (value << 8n) | BigInt(this.bytes[at + i]!);
    return Number(BigInt.asIntN(length * 8, value));
  }
}

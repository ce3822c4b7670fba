/** Reads values in Python's pickle format as torch writes them. The pickle is data here: it never runs code. */
import { ModelCorrupt } from '#core/host';

/** A Python class or function by its name, such as `collections.OrderedDict`. */
export class PythonName {
  constructor(readonly name: string) {}
}

/** Resolves references of a pickle to things outside of it. Both functions throw for unknown ones. */
export interface PickleEnvironment {
  /** The result of a call. */
  call(name: string, args: readonly unknown[]): unknown;
  /** The object with a persistent id. */
  persistent(id: unknown): unknown;
}

/** On the stack, precedes the items of a collection. */
const MARK = Symbol('mark');

/**
 * Dictionaries become maps, tuples and lists arrays. Supports the operations of protocol 2 that tables of tensors need.
 *
 * @throws ModelCorrupt for other operations and for truncated pickles.
 */
export function unpickle(bytes: Uint8Array, environment: PickleEnvironment): unknown {
  try {
    return new Unpickler(bytes, environment).run();
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
    private readonly environment: PickleEnvironment,
  ) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  run(): unknown {
    for (;;) {
      const code = this.#byte();
      if (code === 0x2e) return this.#pop();
      if (!this.#value(code) && !this.#structure(code))
        throw new ModelCorrupt(`its table of tensors has the unsupported operation 0x${code.toString(16)}`);
    }
  }

  /** Handles operations that push one value. Returns false for others. */
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
        return push(this.#fromMemo(this.#byte()));
      case 'j':
        return push(this.#fromMemo(this.#count()));
      default:
        return false;
    }
  }

  /** Handles operations on the values of the stack. Returns false for others. */
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
        if (!Array.isArray(list)) throw this.#inconsistent();
        for (const item of added) list.push(item);
        return true;
      }
      case 's':
      case 'u': {
        const added = code === 0x73 ? [this.#pop(), this.#pop()].reverse() : this.#marked();
        const table = stack.at(-1);
        if (!(table instanceof Map)) throw this.#inconsistent();
        for (let i = 0; i + 1 < added.length; i += 2) table.set(added[i], added[i + 1]);
        return true;
      }
      case 'R': {
        const args = this.#pop();
        const callee = this.#pop();
        if (!(callee instanceof PythonName) || !Array.isArray(args)) throw this.#inconsistent();
        stack.push(this.environment.call(callee.name, args));
        return true;
      }
      case 'b':
        // The attributes of a dictionary, which hold the versions of modules, are ignored.
        this.#pop();
        if (!(stack.at(-1) instanceof Map)) throw this.#inconsistent();
        return true;
      case 'Q':
        stack.push(this.environment.persistent(this.#pop()));
        return true;
      default:
        return false;
    }
  }

  #pop(): unknown {
    if (this.#stack.length === 0) throw this.#inconsistent();
    return this.#stack.pop();
  }

  /** Pops the values since the last mark. */
  #marked(): unknown[] {
    const mark = this.#stack.lastIndexOf(MARK);
    if (mark < 0) throw this.#inconsistent();
    return this.#stack.splice(mark).slice(1);
  }

  #fromMemo(index: number): unknown {
    if (!this.#memo.has(index)) throw this.#inconsistent();
    return this.#memo.get(index);
  }

  #inconsistent(): ModelCorrupt {
    return new ModelCorrupt('its table of tensors is inconsistent');
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

  /** An integer of any length, little endian in two's complement. */
  #long(): number {
    const length = this.#byte();
    const at = this.#skip(length);
    let value = 0n;
    for (let i = length - 1; i >= 0; i--) value = (value << 8n) | BigInt(this.bytes[at + i]!);
    return Number(BigInt.asIntN(length * 8, value));
  }
}

/** Reads values in Python's pickle format as torch writes them. The pickle is data here: it never runs code. */
import { ModelCorrupt } from '#core/host';
import { PickleBytes } from './pickle-bytes.ts';

/** A Python class or function by its name, such as `collections.OrderedDict`. It is never looked up. */
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

/** The protocols whose operations are known here. */
const PROTOCOLS: readonly number[] = [2, 3, 4, 5];

/** Bytes. The pickle of a checkpoint has some hundred for each tensor. */
export const MAX_PICKLE = 16 * 1024 * 1024;

/** Checkpoints with 10 000 tensors have less than a million. Bounds the memory that small operations can take. */
const MAX_OPERATIONS = 2_000_000;

/**
 * The first value of a pickle, and the position after it. Dictionaries become maps, tuples, lists and sets arrays.
 * Supports the operations of the protocols 2 to 5 that torch writes. Deep values need no deep stack.
 *
 * @param start where the pickle begins
 * @throws ModelCorrupt for other operations, for truncated pickles, and for millions of operations
 */
export function unpickle(
  bytes: Uint8Array,
  environment: PickleEnvironment,
  start = 0,
): { value: unknown; end: number } {
  const reader = new PickleBytes(bytes, start);
  try {
    const value = new Unpickler(reader, environment).run();
    return { value, end: reader.at };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ModelCorrupt('its table of tensors ends early', { cause: error });
  }
}

class Unpickler {
  readonly #stack: unknown[] = [];
  readonly #memo = new Map<number, unknown>();

  constructor(
    private readonly bytes: PickleBytes,
    private readonly environment: PickleEnvironment,
  ) {}

  run(): unknown {
    for (let operations = 0; operations < MAX_OPERATIONS; operations++) {
      const code = this.bytes.byte();
      if (code === 0x2e) return this.#pop();
      const operation = String.fromCharCode(code);
      if (!this.#value(operation) && !this.#collection(operation) && !this.#reference(operation))
        throw new ModelCorrupt(`its table of tensors has the unsupported operation 0x${code.toString(16)}`);
    }
    throw new ModelCorrupt(`its table of tensors has more than ${MAX_OPERATIONS} operations`);
  }

  /** Handles operations that push one value. Returns false for others. */
  #value(operation: string): boolean {
    const { bytes } = this;
    const push = (value: unknown) => this.#stack.push(value) > 0;
    switch (operation) {
      case 'N':
        return push(null);
      case '\x88':
        return push(true);
      case '\x89':
        return push(false);
      case 'K':
        return push(bytes.byte());
      case 'M':
        return push(bytes.uint16());
      case 'J':
        return push(bytes.int32());
      case '\x8a':
        return push(bytes.long(bytes.byte()));
      case 'G':
        return push(bytes.float64());
      case 'X':
      case 'T':
        return push(bytes.text(bytes.uint32()));
      case '\x8c':
      case 'U':
        return push(bytes.text(bytes.byte()));
      case '\x8d':
        return push(bytes.text(bytes.uint64()));
      case 'B':
        return push(bytes.data(bytes.uint32()));
      case 'C':
        return push(bytes.data(bytes.byte()));
      case '\x8e':
      case '\x96':
        return push(bytes.data(bytes.uint64()));
      case ')':
      case ']':
      case '\x8f':
        return push([]);
      case '}':
        return push(new Map());
      case '(':
        return push(MARK);
      default:
        return false;
    }
  }

  /** Handles operations that gather values of the stack. Returns false for others. */
  #collection(operation: string): boolean {
    const stack = this.#stack;
    switch (operation) {
      case 't':
      case '\x91':
        stack.push(this.#marked());
        return true;
      case '\x85':
      case '\x86':
      case '\x87':
        stack.push(this.#last(operation.charCodeAt(0) - 0x84));
        return true;
      case 'a':
        this.#append(this.#last(1));
        return true;
      case 'e':
      case '\x90':
        this.#append(this.#marked());
        return true;
      case 's':
        this.#setItems(this.#last(2));
        return true;
      case 'u':
        this.#setItems(this.#marked());
        return true;
      case '0':
        this.#pop();
        return true;
      case '1':
        this.#marked();
        return true;
      default:
        return false;
    }
  }

  /** Handles protocols, names, the memo, calls and persistent ids. Returns false for others. */
  #reference(operation: string): boolean {
    const { bytes } = this;
    const stack = this.#stack;
    switch (operation) {
      case '\x80':
        return PROTOCOLS.includes(bytes.byte());
      case '\x95':
        bytes.skip(8);
        return true;
      case 'c':
        stack.push(new PythonName(`${bytes.line()}.${bytes.line()}`));
        return true;
      case '\x93': {
        const [module, name] = this.#last(2);
        if (typeof module !== 'string' || typeof name !== 'string') throw this.#inconsistent();
        stack.push(new PythonName(`${module}.${name}`));
        return true;
      }
      case 'q':
        this.#remember(bytes.byte());
        return true;
      case 'r':
        this.#remember(bytes.uint32());
        return true;
      case '\x94':
        this.#remember(this.#memo.size);
        return true;
      case 'h':
        stack.push(this.#fromMemo(bytes.byte()));
        return true;
      case 'j':
        stack.push(this.#fromMemo(bytes.uint32()));
        return true;
      case 'R':
      case '\x81':
        this.#call(this.#pop());
        return true;
      case '\x92':
        // Named arguments of a class. No class that is known here takes any.
        this.#pop();
        this.#call(this.#pop());
        return true;
      case 'b': {
        // Attributes of a known object, such as the versions of modules, are ignored.
        this.#pop();
        const owner = stack.at(-1);
        if (owner instanceof PythonName) this.environment.call(owner.name, []);
        else if (!(owner instanceof Object)) throw this.#inconsistent();
        return true;
      }
      case 'Q':
        stack.push(this.environment.persistent(this.#pop()));
        return true;
      default:
        return false;
    }
  }

  #call(args: unknown): void {
    const callee = this.#pop();
    if (!(callee instanceof PythonName) || !Array.isArray(args)) throw this.#inconsistent();
    this.#stack.push(this.environment.call(callee.name, args));
  }

  #append(added: unknown[]): void {
    const list = this.#stack.at(-1);
    if (!Array.isArray(list)) throw this.#inconsistent();
    for (const item of added) list.push(item);
  }

  #setItems(added: unknown[]): void {
    const table = this.#stack.at(-1);
    if (!(table instanceof Map)) throw this.#inconsistent();
    for (let i = 0; i + 1 < added.length; i += 2) table.set(added[i], added[i + 1]);
  }

  #pop(): unknown {
    if (this.#stack.length === 0) throw this.#inconsistent();
    return this.#stack.pop();
  }

  /** Pops this many values. */
  #last(count: number): unknown[] {
    if (this.#stack.length < count) throw this.#inconsistent();
    return this.#stack.splice(-count);
  }

  /** Pops the values since the last mark. */
  #marked(): unknown[] {
    const mark = this.#stack.lastIndexOf(MARK);
    if (mark < 0) throw this.#inconsistent();
    return this.#stack.splice(mark).slice(1);
  }

  #remember(index: number): void {
    if (this.#stack.length === 0) throw this.#inconsistent();
    this.#memo.set(index, this.#stack.at(-1));
  }

  #fromMemo(index: number): unknown {
    if (!this.#memo.has(index)) throw this.#inconsistent();
    return this.#memo.get(index);
  }

  #inconsistent(): ModelCorrupt {
    return new ModelCorrupt('its table of tensors is inconsistent');
  }
}

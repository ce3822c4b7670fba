/** The bytes that go into Python and come out of it. Python addresses them as files that are open from the start. */

/** The descriptors of the standard streams, and of the script with its result (`CHANNEL` of library/run.py). */
const OUTPUT = 1;
const ERRORS = 2;
const CHANNEL = 9999;

/** Characters that the console of a run may write. */
const MAX_CONSOLE = 1_000_000;
const LINE_END = 10;

export class PythonChannel {
  #input: Uint8Array = new Uint8Array();
  #output: Uint8Array[] = [];
  #line: number[] = [];
  #consoleLength = 0;
  #onLine: (line: string) => void = () => {};

  /** Begins a run. */
  begin(input: string, onLine: (line: string) => void): void {
    this.#input = new TextEncoder().encode(input);
    this.#output = [];
    this.#line = [];
    this.#consoleLength = 0;
    this.#onLine = onLine;
  }

  /** Ends a run. Returns what it wrote to the channel. */
  end(): string {
    this.#endLine();
    const decoder = new TextDecoder();
    const text = this.#output.map((bytes) => decoder.decode(bytes, { stream: true })).join('');
    this.begin('', () => {});
    return text + decoder.decode();
  }

  reads(file: number): boolean {
    return file === 0 || file === CHANNEL;
  }

  writes(file: number): boolean {
    return file === OUTPUT || file === ERRORS || file === CHANNEL;
  }

  /** Fills a buffer with the next bytes of the script. Returns their number; 0 at the end. */
  read(bytes: Uint8Array): number {
    const part = this.#input.subarray(0, bytes.length);
    bytes.set(part);
    this.#input = this.#input.subarray(part.length);
    return part.length;
  }

  /** Takes bytes of a result or of the console. Returns their number. */
  write(file: number, bytes: Uint8Array): number {
    if (file === CHANNEL) this.#output.push(bytes.slice());
    else for (const byte of bytes) this.#writeConsole(byte);
    return bytes.length;
  }

  #writeConsole(byte: number): void {
    if (byte === LINE_END) this.#endLine();
    else if (this.#consoleLength + this.#line.length <= MAX_CONSOLE) this.#line.push(byte);
  }

  /** Reports a line. Lines beyond the limit are dropped; the last one says so. */
  #endLine(): void {
    if (this.#line.length === 0 || this.#consoleLength >= MAX_CONSOLE) return;
    this.#consoleLength += this.#line.length + 1;
    const line = new TextDecoder().decode(new Uint8Array(this.#line));
    this.#line = [];
    const isLast = this.#consoleLength >= MAX_CONSOLE;
    this.#onLine(isLast ? `${line} … (the rest of the console is left out)` : line);
  }
}

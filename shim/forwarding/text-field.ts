const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const OPEN = new Set([0x7b, 0x5b]);
const CLOSE = new Set([0x7d, 0x5d]);
/** Bytes of a name or value that is looked at. Longer ones cannot match. */
const MAX_STRING = 1000;

const decoder = new TextDecoder();

/**
 * Finds a text field of the outermost object of a JSON body, in pieces, without the rest of the body. The body is not
 * checked: its server does that. Names are compared without regard to case, as Ollama's are.
 */
export class TextField {
  /** The field's value. Undefined until it has been read. */
  value: string | undefined;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #isValue = false;
  /** The bytes of the string under way, if it is a name or the value of the field. */
  #bytes: number[] | undefined;
  #name: string | undefined;

  constructor(private readonly field: string) {}

  push(chunk: Uint8Array): void {
    for (const byte of chunk) {
      if (this.value !== undefined) return;
      if (this.#isInString) this.#takeInString(byte);
      else this.#takeBetweenStrings(byte);
    }
  }

  #takeInString(byte: number): void {
    if (byte === QUOTE && !this.#isEscaped) {
      this.#isInString = false;
      this.#endString();
      return;
    }
    this.#isEscaped = byte === BACKSLASH && !this.#isEscaped;
    if (this.#bytes && this.#bytes.length <= MAX_STRING) this.#bytes.push(byte);
  }

  #takeBetweenStrings(byte: number): void {
    if (byte === QUOTE) {
      this.#isInString = true;
      const isWanted = this.#depth === 1 && (!this.#isValue || this.#name === this.field);
      this.#bytes = isWanted ? [] : undefined;
    } else if (OPEN.has(byte)) this.#depth += 1;
    else if (CLOSE.has(byte)) this.#depth -= 1;
    else if (this.#depth === 1 && byte === COLON) this.#isValue = true;
    else if (this.#depth === 1 && byte === COMMA) this.#isValue = false;
  }

  #endString(): void {
    const bytes = this.#bytes;
    this.#bytes = undefined;
    if (!bytes) return;
    const text = bytes.length > MAX_STRING ? undefined : jsonString(bytes);
    if (this.#isValue) this.value = text;
    else this.#name = text?.toLowerCase();
  }
}

function jsonString(bytes: number[]): string | undefined {
  try {
    return JSON.parse(`"${decoder.decode(Uint8Array.from(bytes))}"`) as string;
  } catch {
    return undefined;
  }
}

import { TextField } from './text-field.ts';

/** Bytes of one body that are read for the field. A body whose field comes later counts as one without it. */
const MAX_START = 16 * 1024 * 1024;
/** Bytes of all such bodies together. */
const MAX_HELD = 256 * 1024 * 1024;

/** The start of a body that was read, and the body as it arrived. */
export interface StartedBody {
  /** The text of the field. Undefined: the part that was read does not have it. */
  field: string | undefined;
  /** The part that was read. */
  start: readonly Uint8Array[];
  /** The complete body. */
  body: ReadableStream<Uint8Array>;
  /** Whether nothing follows the part that was read. */
  isComplete: boolean;
  /** Called when nobody needs the body any more. */
  release(): void;
}

/** Reads the start of bodies, up to a field that decides who gets the request. */
export class BodyStarts {
  #held = 0;

  /** @param maxStart bytes of one body that are read at most */
  constructor(private readonly maxStart = MAX_START) {}

  /**
   * Reads until `field` has arrived, or, without a field, to the end. Rejects with the error of the body, such as the
   * client's disconnect.
   */
  async read(body: ReadableStream<Uint8Array>, field: string | undefined): Promise<StartedBody> {
    const textField = field === undefined ? undefined : new TextField(field);
    const reader = body.getReader();
    const chunks: Uint8Array[] = [];
    let size = 0;
    let isComplete = false;
    const release = () => {
      this.#held -= size;
      size = 0;
    };
    try {
      while (textField?.value === undefined && size < this.maxStart && this.#held < MAX_HELD) {
        const { done, value } = await reader.read();
        if (done) {
          isComplete = true;
          break;
        }
        chunks.push(value);
        size += value.length;
        this.#held += value.length;
        textField?.push(value);
      }
    } catch (cause) {
      release();
      throw cause;
    }
    const start = [...chunks];
    return { field: textField?.value, start, body: rejoin(chunks, reader), isComplete, release };
  }
}

/** The chunks that were read, then the rest. */
function rejoin(
  chunks: Uint8Array[],
  reader: ReadableStreamDefaultReader<Uint8Array>,
): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const first = chunks.shift();
        if (first) return controller.enqueue(first);
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

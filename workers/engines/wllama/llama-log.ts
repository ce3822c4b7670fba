import { MemoryTally } from './memory-tally.ts';
import { DEVICE_LOST_MARK } from './worker-prelude.ts';

/** The reason for which llama.cpp's server refuses a request. */
export interface TaskError {
  type?: string;
  n_prompt_tokens?: number;
  n_ctx?: number;
}

/** The most lines to keep. Further lines say nothing new. */
const MAX_ERRORS = 50;

/** Collects errors, refusals, memory sizes and the loss of the GPU device from what llama.cpp prints. */
export class LlamaLog {
  readonly memory = new MemoryTally();
  #errors: string[] = [];
  #taskError: TaskError = {};

  /** @param onDeviceLost receives the browser's reason */
  constructor(private readonly onDeviceLost: (reason: string) => void) {}

  /** The logger to give to wllama. */
  get logger() {
    const ignore = () => {};
    return {
      debug: (...line: unknown[]) => this.memory.read(String(line[0])),
      log: ignore,
      warn: ignore,
      error: (...line: unknown[]) => this.#readError(line),
    };
  }

  /** Error lines since the last `clear` or `take`. */
  get errors(): readonly string[] {
    return this.#errors;
  }

  /** The last refusal since the last `clear` or `take`. */
  get taskError(): TaskError {
    return this.#taskError;
  }

  clear(): void {
    this.take();
  }

  /** The errors, which are then forgotten. */
  take(): { errors: string[]; taskError: TaskError } {
    const taken = { errors: this.#errors, taskError: this.#taskError };
    this.#errors = [];
    this.#taskError = {};
    return taken;
  }

  #readError([text, detail]: unknown[]): void {
    if (typeof text === 'string' && text.startsWith(DEVICE_LOST_MARK)) {
      this.onDeviceLost(text.slice(DEVICE_LOST_MARK.length).trim());
      return;
    }
    if (detail && typeof detail === 'object') this.#taskError = detail as TaskError;
    if (typeof text === 'string' && this.#errors.length < MAX_ERRORS) this.#errors.push(text);
  }
}

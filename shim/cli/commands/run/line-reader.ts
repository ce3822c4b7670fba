import { createInterface, type Interface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import type { Terminal } from '../../progress.ts';

export type LineInput =
  | { type: 'line'; text: string }
  | { type: 'interrupt'; text: string }
  | { type: 'end' };

export interface LineReaderOptions {
  input: Readable;
  output: Terminal;
  /** Oldest first. */
  history: string[];
}

const PASTE_ON = '\x1b[?2004h';
const PASTE_OFF = '\x1b[?2004l';

/** Reads lines from the keyboard, with editing and history. A pasted text counts as one line. */
export class LineReader {
  readonly #lines: Interface;
  readonly #screen: Screen;
  readonly #output: Terminal;
  #waiting: ((read: LineInput) => void) | undefined;
  #interrupted: (() => void) | undefined;
  #pasting = false;
  #pasted = '';
  #ended = false;

  constructor({ input, output, history }: LineReaderOptions) {
    this.#output = output;
    this.#screen = new Screen(output);
    this.#lines = createInterface({
      input,
      output: this.#screen,
      terminal: true,
      history: history.toReversed(),
      historySize: 1000,
      removeHistoryDuplicates: true,
    });
    output.write(PASTE_ON);
    // This listener runs after readline's own one, so that the flag is set when the lines of a paste arrive.
    input.on('keypress', this.#onKey);
    this.#lines.on('line', (line) => {
      if (this.#pasting) this.#pasted += `${line}\n`;
      else this.#resolve({ type: 'line', text: this.#takePasted() + line });
    });
    this.#lines.on('SIGINT', () => {
      if (this.#interrupted) return this.#interrupted();
      const text = this.#takePasted() + this.#lines.line;
      this.#clearLine();
      this.#resolve({ type: 'interrupt', text });
    });
    this.#lines.on('close', () => {
      this.#ended = true;
      // Ctrl+D during an answer stops the answer first.
      this.#interrupted?.();
      this.#resolve({ type: 'end' });
    });
  }

  /** The next line. */
  read(prompt: string): Promise<LineInput> {
    if (this.#ended) return Promise.resolve({ type: 'end' });
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#lines.setPrompt(prompt);
      this.#lines.prompt();
    });
  }

  /** Runs `work` while typed keys are ignored. Only Ctrl+C works: it aborts the signal. */
  async runWithKeyboardShut<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    this.#interrupted = () => stop.abort(new DOMException('interrupted', 'AbortError'));
    this.#screen.muted = true;
    try {
      return await work(stop.signal);
    } finally {
      this.#interrupted = undefined;
      if (!this.#ended) this.#clearLine();
      this.#screen.muted = false;
    }
  }

  close(): void {
    this.#lines.close();
    this.#output.write(PASTE_OFF);
  }

  readonly #onKey = (_text: string | undefined, key: { name?: string } | undefined): void => {
    if (key?.name === 'paste-start') this.#pasting = true;
    else if (key?.name === 'paste-end') this.#pasting = false;
  };

  #takePasted(): string {
    const text = this.#pasted;
    this.#pasted = '';
    return text;
  }

  #clearLine(): void {
    this.#lines.write(null, { ctrl: true, name: 'e' });
    this.#lines.write(null, { ctrl: true, name: 'u' });
  }

  #resolve(line: LineInput): void {
    const resolve = this.#waiting;
    this.#waiting = undefined;
    resolve?.(line);
  }
}

/** The output of readline. It hides keys that are typed during an answer. */
class Screen extends Writable {
  muted = false;

  constructor(private readonly terminal: Terminal) {
    super({
      decodeStrings: false,
      write: (chunk, _encoding, done) => {
        if (!this.muted) terminal.write(chunk.toString());
        done();
      },
    });
  }

  get columns(): number {
    return this.terminal.columns ?? 80;
  }
}

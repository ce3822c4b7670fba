import type { Terminal } from '../../progress.ts';
import type { RunOptions } from './options.ts';
import { WordWrap } from './word-wrap.ts';

const GRAY = '\x1b[90m';
const PLAIN = '\x1b[0m';

/** Prints an answer while it is generated: first the thinking, then the content. */
export class AnswerView {
  readonly #wrap: WordWrap | undefined;
  #thinking = false;
  #content = '';

  constructor(
    private readonly out: Terminal,
    private readonly options: Pick<RunOptions, 'hideThinking' | 'wordWrap'>,
  ) {
    this.#wrap = options.wordWrap && out.isTTY ? new WordWrap(() => out.columns) : undefined;
  }

  /** The answer so far, without the thinking. */
  get content(): string {
    return this.#content;
  }

  show(thinking: string | undefined, content: string | undefined): void {
    if (thinking && !this.options.hideThinking) {
      if (!this.#thinking) this.#write(`${this.#gray(GRAY)}Thinking...\n`);
      this.#thinking = true;
      this.#write(thinking);
    }
    if (!content) return;
    this.#endThinking();
    this.#content += content;
    this.#write(content);
  }

  /** Ends the line. `gap` adds an empty line, as between messages. */
  end(gap = false): void {
    this.#endThinking();
    this.out.write(gap ? '\n\n' : '\n');
  }

  #endThinking(): void {
    if (!this.#thinking) return;
    this.#thinking = false;
    this.#write(`\n...done thinking.\n${this.#gray(PLAIN)}\n`);
  }

  #gray(code: string): string {
    return this.out.isTTY ? code : '';
  }

  #write(text: string): void {
    this.out.write(this.#wrap?.write(text) ?? text);
  }
}

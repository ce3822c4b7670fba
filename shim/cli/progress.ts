import { formatBytes, formatSeconds } from '../base/format.ts';

/** A step of a download, as pulls report it. */
export interface Progress {
  status: string;
  digest?: string;
  total?: number;
  completed?: number;
}

export interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Width of the progress bar in characters. */
const BAR = 24;
/** Milliseconds over which the speed is averaged. */
const WINDOW = 5_000;
/** Milliseconds between two updates: of a line on a terminal, and of lines elsewhere. */
const REDRAW = 100;
const PLAIN_INTERVAL = 5_000;

/** Shows a download. A terminal gets one line that is redrawn; other outputs get a line every few seconds. */
export class ProgressView {
  #status = '';
  #key = '';
  #drawn = Number.NEGATIVE_INFINITY;
  #openLine = false;
  #samples: { at: number; completed: number }[] = [];

  constructor(
    private readonly terminal: Terminal,
    private readonly now: () => number = () => performance.now(),
  ) {}

  show(progress: Progress): void {
    const key = `${progress.status} ${progress.digest ?? ''}`;
    const fresh = key !== this.#key;
    if (fresh) {
      this.#endLine();
      this.#key = key;
      this.#status = progress.status;
      this.#samples = [];
      this.#drawn = Number.NEGATIVE_INFINITY;
    }
    const { total, completed = 0 } = progress;
    if (!total) {
      if (fresh) this.terminal.write(`${progress.status}\n`);
      return;
    }
    const now = this.now();
    this.#samples.push({ at: now, completed });
    while (this.#samples.length > 2 && now - this.#samples[0]!.at > WINDOW) this.#samples.shift();
    const due = now - this.#drawn >= (this.terminal.isTTY ? REDRAW : PLAIN_INTERVAL);
    if (!due && completed < total) return;
    if (completed >= total && this.#drawn === Number.POSITIVE_INFINITY) return;
    this.#drawn = completed >= total ? Number.POSITIVE_INFINITY : now;
    this.#draw(completed, total);
  }

  /** Ends the current line. */
  end(): void {
    this.#endLine();
    this.#key = '';
  }

  #draw(completed: number, total: number): void {
    const text = this.#describe(completed, total);
    if (!this.terminal.isTTY) {
      this.terminal.write(`${text}\n`);
      return;
    }
    const filled = Math.round((completed / total) * BAR);
    const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)}`;
    const line = `${bar} ${text}`.slice(0, Math.max(20, (this.terminal.columns ?? 80) - 1));
    this.terminal.write(`\r\x1b[2K${line}`);
    this.#openLine = true;
  }

  #describe(completed: number, total: number): string {
    const percent = Math.floor((completed / total) * 100);
    const parts = [this.#status, `${percent}%`, `${formatBytes(completed)} of ${formatBytes(total)}`];
    const first = this.#samples[0]!;
    const last = this.#samples.at(-1)!;
    const speed = ((last.completed - first.completed) / (last.at - first.at)) * 1000;
    if (Number.isFinite(speed) && speed > 0 && completed < total) {
      parts.push(`${formatBytes(speed)}/s`, `${formatSeconds((total - completed) / speed)} left`);
    }
    return parts.join('  ');
  }

  #endLine(): void {
    if (this.#openLine) this.terminal.write('\n');
    this.#openLine = false;
  }
}

/** Short messages at the edge of the window, and deletions that can be undone while their message is shown. */

export interface Toast {
  text: string;
  action?: { label: string; run(): void };
}

/** Milliseconds for which a message is shown. Long enough to read it and to reach its button. */
export const TOAST_DURATION = 8000;

type Timer = (run: () => void, milliseconds: number) => () => void;

const browserTimer: Timer = (run, milliseconds) => {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
};

/** The shown messages, newest last. Fires `change`. */
export class Toasts extends EventTarget {
  readonly list: Toast[] = [];
  readonly #ends = new Map<Toast, { cancel(): void; end(): void }>();
  /** Ids of what is deleted as soon as its message disappears. */
  readonly #deleted = new Set<string>();

  constructor(private readonly after: Timer = browserTimer) {
    super();
  }

  /** Shows a message. `onEnd` is called when it disappears without its action. */
  show(toast: Toast, onEnd: () => void = () => {}): void {
    this.list.push(toast);
    this.#ends.set(toast, { cancel: this.after(() => this.dismiss(toast), TOAST_DURATION), end: onEnd });
    this.#changed();
  }

  dismiss(toast: Toast): void {
    this.#take(toast)?.end();
  }

  act(toast: Toast): void {
    if (this.#take(toast)) toast.action?.run();
  }

  /** The message stays while the pointer or the focus is on it. */
  hold(toast: Toast): void {
    this.#ends.get(toast)?.cancel();
  }

  release(toast: Toast): void {
    const held = this.#ends.get(toast);
    if (!held) return;
    held.cancel();
    held.cancel = this.after(() => this.dismiss(toast), TOAST_DURATION);
  }

  /**
   * Deletes later, so that the user can undo it. Until then `isDeleted(id)` is true: lists leave the entry out.
   * @param remove deletes for good
   */
  deleteLater(id: string, { text, undo }: { text: string; undo: string }, remove: () => unknown): void {
    if (this.#deleted.has(id)) return;
    this.#deleted.add(id);
    const restore = () => {
      this.#deleted.delete(id);
      this.#changed();
    };
    this.show({ text, action: { label: undo, run: restore } }, () => {
      void Promise.resolve(remove()).finally(restore);
    });
  }

  isDeleted(id: string): boolean {
    return this.#deleted.has(id);
  }

  /** Ends all messages at once, and so deletes what waits for deletion. */
  flush(): void {
    for (const toast of [...this.list]) this.dismiss(toast);
  }

  #take(toast: Toast) {
    const taken = this.#ends.get(toast);
    if (!taken) return undefined;
    taken.cancel();
    this.#ends.delete(toast);
    this.list.splice(this.list.indexOf(toast), 1);
    this.#changed();
    return taken;
  }

  #changed(): void {
    this.dispatchEvent(new Event('change'));
  }
}

/** The messages of this page. */
export const toasts = new Toasts();

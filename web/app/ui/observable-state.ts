import { errorMessage } from '#core/base';

/** State that fires `change` after every change and holds the last error message. */
export class ObservableState extends EventTarget {
  failure: string | undefined;

  changed(): void {
    this.dispatchEvent(new Event('change'));
  }

  /** Runs `work`. If it fails, stores the message in `failure` and resolves with undefined. */
  async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await work();
      this.failure = undefined;
      return result;
    } catch (error) {
      this.failure = errorMessage(error);
      return undefined;
    } finally {
      this.changed();
    }
  }
}

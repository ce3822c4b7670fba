import { errorText } from './error-text.ts';

/** State that tells of its changes, and of what went wrong last. */
export class ObservableState extends EventTarget {
  failure: string | undefined;

  changed(): void {
    this.dispatchEvent(new Event('change'));
  }

  /** Does something that can fail: the failure is shown, and undefined comes back. */
  async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await work();
      this.failure = undefined;
      return result;
    } catch (error) {
      this.failure = errorText(error);
      return undefined;
    } finally {
      this.changed();
    }
  }
}

/** Something that is made when it is first asked for. What could not be made is tried again by whoever asks next. */
export class Late<T> {
  #making: Promise<T> | undefined;

  constructor(private readonly make: () => Promise<T>) {}

  get(): Promise<T> {
    if (!this.#making) {
      const making = this.make();
      making.catch(() => {
        this.#making = undefined;
      });
      this.#making = making;
    }
    return this.#making;
  }

  /** Without asking for it: undefined where nobody did, or where it failed. */
  async made(): Promise<T | undefined> {
    return this.#making?.catch(() => undefined);
  }
}

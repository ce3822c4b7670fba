/** A typed array that grows. A mesh has millions of numbers, for which a plain array takes too much memory. */
export class GrowingArray<A extends Float32Array | Uint32Array> {
  length = 0;
  #data: A;

  constructor(private readonly Type: new (size: number) => A) {
    this.#data = new Type(1024);
  }

  push(...values: readonly number[]): void {
    if (this.length + values.length > this.#data.length) {
      const larger = new this.Type(2 * (this.length + values.length));
      larger.set(this.#data);
      this.#data = larger;
    }
    for (const value of values) this.#data[this.length++] = value;
  }

  /** A copy of the numbers so far. */
  get data(): A {
    return this.#data.slice(0, this.length) as A;
  }
}

/** The fields of a multipart form. Files are Buffers. */
export class FormData {
  readonly #fields: [name: string, value: unknown, fileName?: string][] = [];
  append(name: string, value: unknown, fileName?: string): void {
    this.#fields.push([String(name), value, fileName]);
  }
  set(name: string, value: unknown, fileName?: string): void {
    this.delete(name);
    this.append(name, value, fileName);
  }
  delete(name: string): void {
    for (let at = this.#fields.length - 1; at >= 0; at--)
      if (this.#fields[at]![0] === name) this.#fields.splice(at, 1);
  }
  get(name: string): unknown {
    return this.#fields.find(([key]) => key === name)?.[1] ?? null;
  }
  getAll(name: string): unknown[] {
    return this.#fields.filter(([key]) => key === name).map(([, value]) => value);
  }
  has(name: string): boolean {
    return this.#fields.some(([key]) => key === name);
  }
  *entries(): IterableIterator<[string, unknown, string?]> {
    for (const field of this.#fields) yield [...field];
  }
  [Symbol.iterator]() {
    return this.entries();
  }
}

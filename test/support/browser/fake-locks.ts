/** Web Locks in memory: Node 20 has none. Locks are granted in order of their requests; `steal` ends the holder. */
interface Held {
  name: string;
  lose(reason: unknown): void;
}

export class FakeLocks {
  readonly #held: Held[] = [];
  readonly #waiting: { name: string; start(): void }[] = [];

  async query(): Promise<{ held: { name: string }[] }> {
    return { held: this.#held.map(({ name }) => ({ name })) };
  }

  request<T>(
    name: string,
    ...rest: [LockOptions, (lock: object | null) => T] | [(lock: object | null) => T]
  ): Promise<unknown> {
    const callback = rest.at(-1) as (lock: object | null) => T;
    const { signal, steal, ifAvailable } = (rest.length === 2 ? rest[0] : {}) as LockOptions;
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (steal) {
      for (const held of this.#held.filter((held) => held.name === name)) {
        this.#held.splice(this.#held.indexOf(held), 1);
        held.lose(new DOMException('the lock was stolen', 'AbortError'));
      }
    }
    if (this.#isFree(name)) return this.#grant(name, callback);
    if (ifAvailable) return Promise.resolve(callback(null));
    return new Promise((resolve, reject) => {
      const entry = {
        name,
        start: () => {
          signal?.removeEventListener('abort', abort);
          this.#grant(name, callback).then(resolve, reject);
        },
      };
      const abort = () => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
        reject(signal!.reason);
      };
      signal?.addEventListener('abort', abort);
      this.#waiting.push(entry);
    });
  }

  #isFree(name: string): boolean {
    return !this.#held.some((held) => held.name === name);
  }

  #grant<T>(name: string, callback: (lock: object | null) => T): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const held = { name, lose: reject };
      this.#held.push(held);
      Promise.resolve()
        .then(() => callback({ name }))
        .then(resolve, reject)
        .finally(() => {
          const index = this.#held.indexOf(held);
          if (index === -1) return;
          this.#held.splice(index, 1);
          const next = this.#waiting.findIndex((entry) => entry.name === name);
          if (next !== -1) this.#waiting.splice(next, 1)[0]!.start();
        });
    });
  }
}

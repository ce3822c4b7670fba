import type { ApiName } from '#core/http';
import type { Permission } from './messages.ts';

/**
 * A stored permission of an origin.
 *
 * @example
 * ```ts
 * import type { Grant } from 'tabd/share';
 *
 * const origins = (grants: Grant[]) => grants.map(({ origin }) => origin);
 * console.log(origins([{ origin: 'https://guest.example', apis: ['webhooks'], manage: true }]).join()); // https://guest.example
 * ```
 */
export interface Grant extends Permission {
  origin: string;
}

/** The permissions that the user has granted permanently, in the storage of the sharing origin. */
export class GrantStore {
  constructor(
    private readonly storage: Pick<Storage, 'getItem' | 'setItem'>,
    private readonly key: string,
  ) {}

  list(): Grant[] {
    try {
      const stored = JSON.parse(this.storage.getItem(this.key) ?? '[]') as Grant[];
      return stored.filter(({ origin, apis }) => typeof origin === 'string' && Array.isArray(apis));
    } catch {
      return [];
    }
  }

  /** Whether the stored permission of an origin includes `requested`. */
  covers(origin: string, requested: Permission): boolean {
    const grant = this.list().find((each) => each.origin === origin);
    return (
      grant !== undefined &&
      requested.apis.every((api: ApiName) => grant.apis.includes(api)) &&
      (!requested.manage || grant.manage === true)
    );
  }

  add(origin: string, { apis, manage }: Permission): void {
    this.#store([...this.#others(origin), { origin, apis, manage }]);
  }

  remove(origin: string): void {
    this.#store(this.#others(origin));
  }

  #others(origin: string): Grant[] {
    return this.list().filter((each) => each.origin !== origin);
  }

  #store(grants: Grant[]): void {
    this.storage.setItem(this.key, JSON.stringify(grants));
  }
}

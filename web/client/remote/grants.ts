import type { ApiName } from '#core/http';
import type { Permission } from './messages.ts';

/** A permission that outlasts the page, by origin. */
export interface Grant extends Permission {
  origin: string;
}

/** The permissions that a person has given for good, in the storage of the origin that shares. */
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

  /** Whether all of `wanted` was granted before. */
  covers(origin: string, wanted: Permission): boolean {
    const grant = this.list().find((each) => each.origin === origin);
    return (
      grant !== undefined &&
      wanted.apis.every((api: ApiName) => grant.apis.includes(api)) &&
      (!wanted.manage || grant.manage === true)
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

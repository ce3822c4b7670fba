/** Keys to the control API. Only digests are kept: a key is shown once, when it is made. */
import type { Clock, RecordCollection, Records } from '#core/host';

/** What may be told of a key. */
export interface KeyInfo {
  id: string;
  label: string;
  /** ISO 8601. */
  createdAt: string;
  /** Its last characters, to tell it from others. */
  ending: string;
}

interface StoredKey extends KeyInfo {
  /** SHA-256 in hex. A key is 32 random bytes: no guessing gets near it, so no slow hash is needed. */
  digest: string;
}

/** Beside other things in the same collection. */
const PREFIX = 'key:';

export class ApiKeys {
  readonly #docs: RecordCollection<StoredKey>;
  readonly #temporary = new Set<string>();
  #digests: Promise<Set<string>> | undefined;

  constructor(private readonly parts: { records: Records; clock: Clock }) {
    this.#docs = parts.records.collection('workflowKeys');
  }

  async create(label: string): Promise<{ info: KeyInfo; key: string }> {
    const key = newKey();
    const info: KeyInfo = {
      id: crypto.randomUUID(),
      label,
      createdAt: new Date(this.parts.clock.now()).toISOString(),
      ending: key.slice(-4),
    };
    await this.#docs.put(PREFIX + info.id, { ...info, digest: await digestOf(key) });
    this.#digests = undefined;
    return { info, key };
  }

  /** A key until this server ends: for a page that gets a new one each time. */
  async createTemporary(): Promise<string> {
    const key = newKey();
    this.#temporary.add(await digestOf(key));
    return key;
  }

  /** Oldest first. */
  async list(): Promise<KeyInfo[]> {
    const stored = await this.#stored();
    return stored
      .map(({ digest: _kept, ...info }) => info)
      .sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  }

  async delete(id: string): Promise<boolean> {
    const was = await this.#docs.delete(PREFIX + id);
    this.#digests = undefined;
    return was;
  }

  /** Compares digests: how long it takes tells nothing of any key. */
  async isValid(key: string): Promise<boolean> {
    const digest = await digestOf(key);
    if (this.#temporary.has(digest)) return true;
    this.#digests ??= this.#stored().then((stored) => new Set(stored.map((one) => one.digest)));
    return (await this.#digests).has(digest);
  }

  async #stored(): Promise<StoredKey[]> {
    return (await this.#docs.list()).filter(({ key }) => key.startsWith(PREFIX)).map(({ doc }) => doc);
  }
}

function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `tabd_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

async function digestOf(key: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

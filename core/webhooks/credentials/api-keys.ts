import { toHex } from '#core/base';
import type { Clock, Cluster, RecordCollection, Records } from '#core/host';

/** A key without its secret. */
interface KeyInfo {
  id: string;
  label: string;
  /** ISO 8601. */
  createdAt: string;
  /** The last characters of the key, by which people recognize it. */
  ending: string;
}

interface StoredKey extends KeyInfo {
  /** SHA-256 in hex. A key has 32 random bytes: guessing is hopeless, so the hash need not be slow. */
  digest: string;
}

/** The prefix of API keys in a collection that also contains other records. */
const KEY_PREFIX = 'key:';

/** Keys of the control API. Only digests are stored: a key is shown once, when it is created. */
export class ApiKeys {
  readonly #records: RecordCollection<StoredKey>;
  /** Digests of temporary keys. */
  readonly #temporary = new Set<string>();
  /** Digests of stored keys. Undefined until they are read. */
  #digests: Promise<Set<string>> | undefined;

  constructor(private readonly parts: { records: Records; clock: Clock; cluster?: Cluster | undefined }) {
    this.#records = parts.records.collection('workflowKeys');
    parts.cluster?.onChange('workflowKeys', () => {
      this.#digests = undefined;
    });
  }

  async create(label: string): Promise<{ info: KeyInfo; key: string }> {
    const key = newKey();
    const info: KeyInfo = {
      id: crypto.randomUUID(),
      label,
      createdAt: new Date(this.parts.clock.now()).toISOString(),
      ending: key.slice(-4),
    };
    await this.#records.put(KEY_PREFIX + info.id, { ...info, digest: await digestOf(key) });
    this.#digests = undefined;
    return { info, key };
  }

  /** Creates a key that is valid until this server ends. */
  async createTemporary(): Promise<string> {
    const key = newKey();
    this.#temporary.add(await digestOf(key));
    return key;
  }

  /** The keys without their secrets, oldest first. */
  async list(): Promise<KeyInfo[]> {
    const stored = await this.#stored();
    return stored
      .map(({ digest: _digest, ...info }) => info)
      .sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  }

  /** @returns false if there was no such key */
  async delete(id: string): Promise<boolean> {
    const wasThere = await this.#records.delete(KEY_PREFIX + id);
    this.#digests = undefined;
    return wasThere;
  }

  /** Compares digests: the time reveals nothing about any key. */
  async isValid(key: string): Promise<boolean> {
    const digest = await digestOf(key);
    if (this.#temporary.has(digest)) return true;
    this.#digests ??= this.#stored().then((stored) => new Set(stored.map((record) => record.digest)));
    return (await this.#digests).has(digest);
  }

  async #stored(): Promise<StoredKey[]> {
    return (await this.#records.list()).filter(({ key }) => key.startsWith(KEY_PREFIX)).map(({ doc }) => doc);
  }
}

function newKey(): string {
  return `tabd_${toHex(crypto.getRandomValues(new Uint8Array(32)))}`;
}

async function digestOf(key: string): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key))));
}

/** Secrets that nodes use: encrypted on record, and never given out but to the nodes that name them. */

import { isObject } from '#core/base';
import type { Clock, Keys, RecordCollection, Records } from '#core/host';
import { ApiError } from '#core/http';
import type { JsonObject } from '#core/workflow-format';
import { NodeError } from '../node-api/node-error.ts';
import { newRecordId } from '../record-id.ts';
import type { CredentialSource } from './credential-source.ts';
import { credentialType, readData } from './credential-types.ts';
import { seal, unseal } from './seal.ts';

/** What may be told of one. Times in ISO 8601. */
export interface CredentialInfo {
  id: string;
  name: string;
  type: string;
  createdAt: string;
  updatedAt: string;
}

interface StoredCredential extends CredentialInfo {
  sealed: string;
}

export class CredentialStore implements CredentialSource {
  readonly #docs: RecordCollection<StoredCredential>;
  /** Opened ones: webhooks ask with every call. */
  readonly #open = new Map<string, { type: string; data: JsonObject }>();

  constructor(private readonly parts: { records: Records; keys: Keys; clock: Clock }) {
    this.#docs = parts.records.collection('credentials');
  }

  /** Throws `ApiError` 400. */
  async create(name: string, type: string, data: JsonObject): Promise<CredentialInfo> {
    const now = this.#now();
    return this.#put({ id: newRecordId(), name, type, createdAt: now, updatedAt: now }, data);
  }

  /**
   * `data`: what is left out is lost, unless `partial`. Undefined when there is none of this id. Throws `ApiError` 400.
   */
  async update(
    id: string,
    change: { name?: string; type?: string; data?: JsonObject; partial?: boolean },
  ): Promise<CredentialInfo | undefined> {
    const stored = await this.#docs.get(id);
    if (!stored) return undefined;
    const { sealed: _former, ...info } = stored;
    const type = change.type ?? info.type;
    const sameType = type === info.type;
    if (!sameType && !change.data) throw new ApiError(400, 'request/body must have required property "data"');
    const former = change.data && !(change.partial && sameType) ? {} : await this.#read(stored);
    return this.#put(
      { ...info, type, name: change.name ?? info.name, updatedAt: this.#now() },
      { ...former, ...change.data },
    );
  }

  async delete(id: string): Promise<CredentialInfo | undefined> {
    const stored = await this.#docs.get(id);
    this.#open.delete(id);
    if (!stored || !(await this.#docs.delete(id))) return undefined;
    return infoOf(stored);
  }

  /** By name. */
  async list(): Promise<CredentialInfo[]> {
    return (await this.#docs.list({ index: 'name' })).map(({ doc }) => infoOf(doc));
  }

  /** By id; one that is named only (a workflow from elsewhere) by name, where no other has the same. */
  async data(
    type: string,
    { id, name }: { id: string | null; name: string },
  ): Promise<JsonObject | undefined> {
    const open = id === null ? undefined : this.#open.get(id);
    if (open) return open.type === type ? open.data : undefined;
    const stored = (id === null ? undefined : await this.#docs.get(id)) ?? (await this.#byName(type, name));
    if (stored?.type !== type) return undefined;
    const data = await this.#read(stored);
    this.#open.set(stored.id, { type, data });
    return data;
  }

  async #byName(type: string, name: string): Promise<StoredCredential | undefined> {
    const named = await this.#docs.list({ index: 'name', equals: name });
    const found = named.filter(({ doc }) => doc.type === type);
    return found.length === 1 ? found[0]!.doc : undefined;
  }

  async #read({ id, name, type, sealed }: StoredCredential): Promise<JsonObject> {
    try {
      const data: unknown = JSON.parse(await unseal(this.parts.keys, sealed, contextOf(id, type)));
      if (isObject(data)) return data;
    } catch (error) {
      throw new NodeError(`The credential "${name}" cannot be decrypted`, {
        description:
          'The encryption key of this installation is another one now. Bring back the former key, or enter the credential again.',
        cause: error,
      });
    }
    throw new NodeError(`The credential "${name}" holds no data: enter it again`);
  }

  async #put(info: CredentialInfo, data: JsonObject): Promise<CredentialInfo> {
    const type = credentialType(info.type);
    if (!type) throw new ApiError(400, 'req.body.type is not a known type');
    const text = JSON.stringify(readData(type, data));
    const sealed = await seal(this.parts.keys, text, contextOf(info.id, info.type));
    await this.#docs.put(info.id, { ...info, sealed });
    this.#open.delete(info.id);
    return info;
  }

  #now(): string {
    return new Date(this.parts.clock.now()).toISOString();
  }
}

/** A sealed text that was put under another id, or called another type, does not open. */
function contextOf(id: string, type: string): string {
  return `credential ${id} ${type}`;
}

function infoOf({ id, name, type, createdAt, updatedAt }: StoredCredential): CredentialInfo {
  return { id, name, type, createdAt, updatedAt };
}

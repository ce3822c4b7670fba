import { isObject } from '#core/base';
import type { Clock, Keys, RecordCollection, Records } from '#core/host';
import { ApiError } from '#core/http';
import type { JsonObject } from '#core/workflow-format';
import { NodeError } from '../node-api/node-error.ts';
import { newRecordId } from '../record-id.ts';
import {
  type CredentialReference,
  type CredentialSource,
  type OAuth2Tokens,
  TOKEN_FIELD,
} from './credential-source.ts';
import { credentialType, readCredentialData, withDefaults } from './credential-types.ts';
import { seal, unseal } from './seal.ts';

/** A credential without its secret data. Times in ISO 8601. */
export interface CredentialInfo {
  id: string;
  name: string;
  type: string;
  createdAt: string;
  updatedAt: string;
  /** Set once tokens of OAuth 2.0 are there. */
  connected?: true;
}

interface StoredCredential extends CredentialInfo {
  sealed: string;
}

/** Stores credentials encrypted. Only nodes that name a credential receive its data. */
export class CredentialStore implements CredentialSource {
  readonly #records: RecordCollection<StoredCredential>;
  /** Decrypted data by id: webhooks need it with every call. */
  readonly #decrypted = new Map<string, { type: string; data: JsonObject }>();

  constructor(private readonly parts: { records: Records; keys: Keys; clock: Clock }) {
    this.#records = parts.records.collection('credentials');
  }

  /** @throws ApiError 400 */
  async create(name: string, type: string, data: JsonObject): Promise<CredentialInfo> {
    const now = this.#now();
    return this.#put({ id: newRecordId(), name, type, createdAt: now, updatedAt: now }, data);
  }

  /**
   * @param change `data` replaces all fields; with `partial` only those that it contains
   * @returns undefined if there is no such credential
   * @throws ApiError 400
   */
  async update(
    id: string,
    change: { name?: string; type?: string; data?: JsonObject; partial?: boolean },
  ): Promise<CredentialInfo | undefined> {
    const stored = await this.#records.get(id);
    if (!stored) return undefined;
    const { sealed: _sealed, connected: _connected, ...info } = stored;
    const type = change.type ?? info.type;
    const isSameType = type === info.type;
    if (!isSameType && !change.data) {
      throw new ApiError(400, 'request/body must have required property "data"');
    }
    const replacesAll = change.data && !(change.partial && isSameType);
    const former = replacesAll ? {} : await this.#decrypt(stored);
    return this.#put(
      { ...info, type, name: change.name ?? info.name, updatedAt: this.#now() },
      { ...former, ...change.data },
    );
  }

  /** @returns undefined if there was no such credential */
  async delete(id: string): Promise<CredentialInfo | undefined> {
    const stored = await this.#records.get(id);
    this.#decrypted.delete(id);
    if (!stored || !(await this.#records.delete(id))) return undefined;
    return withoutData(stored);
  }

  /** The credential without its secrets. */
  async byId(id: string): Promise<CredentialInfo | undefined> {
    const stored = await this.#records.get(id);
    return stored && withoutData(stored);
  }

  /** Does nothing if the credential was deleted. */
  async saveTokens(type: string, reference: CredentialReference, tokens: OAuth2Tokens): Promise<void> {
    const stored = await this.#find(type, reference);
    if (!stored) return;
    const { sealed: _sealed, ...info } = stored;
    await this.#put(info, { ...(await this.#decrypt(stored)), [TOKEN_FIELD]: tokens });
  }

  /** The credentials without their secrets, ordered by name. */
  async list(): Promise<CredentialInfo[]> {
    return (await this.#records.list({ index: 'name' })).map(({ doc }) => withoutData(doc));
  }

  /**
   * Looks up by id. A workflow of another server has unknown ids: then the name counts, if it is unique.
   * @throws NodeError if the data cannot be decrypted
   */
  async data(type: string, reference: CredentialReference): Promise<JsonObject | undefined> {
    const cached = reference.id === null ? undefined : this.#decrypted.get(reference.id);
    if (cached) return cached.type === type ? cached.data : undefined;
    const stored = await this.#find(type, reference);
    if (!stored) return undefined;
    const decrypted = await this.#decrypt(stored);
    const description = credentialType(type);
    // A field may be newer than the credential.
    const data = description ? withDefaults(description, decrypted) : decrypted;
    this.#decrypted.set(stored.id, { type, data });
    return data;
  }

  /** The credential that `data` would read, without its secrets. */
  async info(type: string, reference: CredentialReference): Promise<CredentialInfo | undefined> {
    const stored = await this.#find(type, reference);
    return stored && withoutData(stored);
  }

  async #find(type: string, { id, name }: CredentialReference): Promise<StoredCredential | undefined> {
    const byId = id === null ? undefined : await this.#records.get(id);
    const stored = byId ?? (await this.#findByName(type, name));
    return stored?.type === type ? stored : undefined;
  }

  async #findByName(type: string, name: string): Promise<StoredCredential | undefined> {
    const sameName = await this.#records.list({ index: 'name', equals: name });
    const found = sameName.filter(({ doc }) => doc.type === type);
    return found.length === 1 ? found[0]!.doc : undefined;
  }

  async #decrypt({ id, name, type, sealed }: StoredCredential): Promise<JsonObject> {
    try {
      const data: unknown = JSON.parse(await unseal(this.parts.keys, sealed, sealContext(id, type)));
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

  /** @param data with the tokens, if the type has any */
  async #put(info: CredentialInfo, data: JsonObject): Promise<CredentialInfo> {
    const type = credentialType(info.type);
    if (!type) throw new ApiError(400, 'req.body.type is not a known type');
    const { [TOKEN_FIELD]: tokenData, ...fields } = data;
    const tokens = type.oauth2 && isObject(tokenData) ? tokenData : undefined;
    const checked = readCredentialData(type, tokens ? fields : data);
    const text = JSON.stringify(tokens ? { ...checked, [TOKEN_FIELD]: tokens } : checked);
    const sealed = await seal(this.parts.keys, text, sealContext(info.id, info.type));
    const stored: CredentialInfo = tokens ? { ...info, connected: true } : info;
    await this.#records.put(info.id, { ...stored, sealed });
    this.#decrypted.delete(info.id);
    return stored;
  }

  #now(): string {
    return new Date(this.parts.clock.now()).toISOString();
  }
}

/** Sealed data that was copied to another id or type cannot be opened. */
function sealContext(id: string, type: string): string {
  return `credential ${id} ${type}`;
}

function withoutData({ sealed: _sealed, ...info }: StoredCredential): CredentialInfo {
  return info;
}

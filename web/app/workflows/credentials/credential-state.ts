import { ObservableState } from '../../ui/observable-state.ts';
import type { Credential, CredentialType } from '../api-types.ts';
import type { WorkflowClient } from '../workflow-client.ts';

/** The stored credentials, by name and type. The server never returns their values. */
export class CredentialState extends ObservableState {
  list: Credential[] | undefined;
  types: CredentialType[] = [];
  /** The name of the credential that was added last. */
  addedName: string | undefined;

  constructor(private readonly client: WorkflowClient) {
    super();
  }

  async load(): Promise<void> {
    await this.attempt(async () => {
      [this.list, this.types] = await Promise.all([this.client.credentials(), this.client.credentialTypes()]);
    });
  }

  /** Stores a credential. Resolves to false when the server rejects it. */
  async add(name: string, type: string, data: Record<string, string>): Promise<boolean> {
    const created = await this.attempt(() => this.client.createCredential(name, type, data));
    if (!created) return false;
    this.addedName = created.name;
    await this.load();
    return true;
  }

  async delete(id: string): Promise<void> {
    this.addedName = undefined;
    const done = await this.attempt(() => this.client.deleteCredential(id).then(() => true));
    if (done) await this.load();
  }
}

/** The fields of a type that apply to the values of the others: a JWT has a secret or a key pair. */
export function visibleFields(
  { name, fields }: CredentialType,
  data: Record<string, string>,
): CredentialType['fields'] {
  if (name !== 'jwtAuth') return fields;
  const pem = data.keyType === 'pemKey';
  return fields.filter((field) =>
    field.name === 'secret' ? !pem : field.name === 'privateKey' || field.name === 'publicKey' ? pem : true,
  );
}

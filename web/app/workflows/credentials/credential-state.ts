import { ObservableState } from '../../ui/observable-state.ts';
import type { Credential, CredentialType } from '../api-types.ts';
import type { WorkflowClient } from '../workflow-client.ts';

/** The stored credentials, by name and type. The server never returns their values. */
export class CredentialState extends ObservableState {
  list: Credential[] | undefined;
  types: CredentialType[] = [];
  /** The address to enter in the settings of a service that asks for logins. */
  redirectUrl: string | undefined;
  /** The name of the credential that was added last. */
  addedName: string | undefined;

  constructor(private readonly client: WorkflowClient) {
    super();
  }

  async load(): Promise<void> {
    await this.attempt(async () => {
      const [list, types] = await Promise.all([this.client.credentials(), this.client.credentialTypes()]);
      this.list = list;
      this.types = types.data;
      this.redirectUrl = types.oauthRedirectUrl;
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

  /**
   * Begins the login of a credential.
   * @returns the page to open. Undefined: the credential is connected, or `failure` says why not
   */
  async connect(id: string): Promise<string | undefined> {
    const answer = await this.attempt(() => this.client.connectCredential(id));
    if (answer?.connected) await this.load();
    return answer?.url;
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
  if (name !== 'jwtAuth') return fields.filter(({ hidden }) => !hidden);
  const pem = data.keyType === 'pemKey';
  return fields.filter((field) =>
    field.name === 'secret' ? !pem : field.name === 'privateKey' || field.name === 'publicKey' ? pem : true,
  );
}

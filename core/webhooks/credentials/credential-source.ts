import type { JsonObject } from '#core/workflow-format';

/** The secrets that nodes use. */
export interface CredentialSource {
  /** The secret data of a credential. Undefined if there is none of this type. */
  data(type: string, reference: { id: string | null; name: string }): Promise<JsonObject | undefined>;
}

import type { JsonObject } from '#core/workflow-format';

/** Secrets that nodes use. */
export interface CredentialSource {
  /** The secret data of a credential of this type, or undefined when there is none. */
  data(type: string, reference: { id: string | null; name: string }): Promise<JsonObject | undefined>;
}

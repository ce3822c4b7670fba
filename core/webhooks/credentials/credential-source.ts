import type { JsonObject } from '#core/workflow-format';

/** How a node names its credential. */
export interface CredentialReference {
  id: string | null;
  name: string;
}

/** The secrets that nodes use. */
export interface CredentialSource {
  /** The secret data of a credential. Undefined if there is none of this type. */
  data(type: string, reference: CredentialReference): Promise<JsonObject | undefined>;
  /** Stores the tokens of a credential of OAuth 2.0. Without it, they last for one use. */
  saveTokens?(type: string, reference: CredentialReference, tokens: OAuth2Tokens): Promise<void>;
}

/** The field of a credential's data that holds `OAuth2Tokens`. */
export const TOKEN_FIELD = 'oauthTokenData';

/** The answer of a token endpoint, under its own names. */
export interface OAuth2Tokens extends JsonObject {
  access_token: string;
  refresh_token?: string;
  /** Milliseconds since 1970, computed from `expires_in`. */
  expires_at?: number;
}

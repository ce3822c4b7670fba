/** A field of a kind of credential. */
export interface CredentialField {
  name: string;
  label: string;
  type: 'string' | 'number' | 'boolean';
  enum?: string[];
  default?: string | number | boolean;
  /** Whether forms hide the text. */
  secret?: boolean;
  /** Whether forms leave the field out: its default is right for all but a few. */
  hidden?: boolean;
}

/** A kind of credential, with the fields of its form. */
export interface CredentialType {
  /** `httpHeaderAuth` */
  name: string;
  label: string;
  fields: CredentialField[];
  /** Parts of requests. Texts may contain `{field}`. */
  authenticate?: RequestAdditions;
  /** Set if a token of OAuth 2.0 comes from a server. The credential's own fields win over these values. */
  oauth2?: OAuth2Settings;
}

/** Parts that a credential adds to a request. `{a|b}` is the first field of the two that is not empty. */
export interface RequestAdditions {
  headers?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, string>;
  basic?: { user: string; password: string };
}

/** How a token is requested. Addresses may contain `{field}`. */
export interface OAuth2Settings {
  /** Default `authorizationCode`. */
  grantType?: 'authorizationCode' | 'pkce' | 'clientCredentials' | 'serviceAccount';
  authUrl?: string;
  accessTokenUrl?: string;
  scope?: string;
  /** A query string that the address of the login also has. */
  authQueryParameters?: string;
  /** Where the client's id and secret are sent. Default `header`. */
  authentication?: 'header' | 'body';
  /** Where the token is in the server's answer, if not at `access_token`. */
  tokenPath?: string;
}

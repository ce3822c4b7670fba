/** A field of a kind of credential. */
export interface CredentialField {
  name: string;
  label: string;
  type: 'string';
  enum?: string[];
  default?: string;
  /** Whether forms hide the text. */
  secret?: boolean;
}

/** A kind of credential, with the fields of its form. */
export interface CredentialType {
  /** `httpHeaderAuth` */
  name: string;
  label: string;
  fields: CredentialField[];
}

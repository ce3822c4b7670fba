import type { CredentialField } from '#core/workflow-format';

/** The fields that all credentials of OAuth 2.0 have. A type that presets one hides it. */
export const OAUTH2_FIELDS: CredentialField[] = [
  {
    name: 'grantType',
    label: 'Grant Type',
    type: 'string',
    enum: ['authorizationCode', 'pkce', 'clientCredentials'],
    default: 'authorizationCode',
  },
  { name: 'authUrl', label: 'Authorization URL', type: 'string' },
  { name: 'accessTokenUrl', label: 'Access Token URL', type: 'string' },
  { name: 'clientId', label: 'Client ID', type: 'string' },
  { name: 'clientSecret', label: 'Client Secret', type: 'string', secret: true },
  { name: 'scope', label: 'Scope', type: 'string' },
  { name: 'authQueryParameters', label: 'Auth URI Query Parameters', type: 'string' },
  {
    name: 'authentication',
    label: 'Authentication',
    type: 'string',
    enum: ['header', 'body'],
    default: 'header',
  },
];

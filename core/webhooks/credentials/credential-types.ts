/** The types of credentials, from `credential-types.json` and `service-types.json`. */
import { ApiError } from '#core/http';
import type { CredentialField, CredentialType, JsonObject } from '#core/workflow-format';
import ownTypes from './credential-types.json' with { type: 'json' };
import { OAUTH2_FIELDS } from './oauth2/oauth2-fields.ts';
import serviceTypes from './service-types.json' with { type: 'json' };

/** A row of the tables. `extends`: the type whose fields and settings of OAuth 2.0 it shares. */
type Row = CredentialType & { extends?: string };

const rows = [...ownTypes, ...serviceTypes] as Row[];

export const credentialTypes: CredentialType[] = rows.map(withSharedParts);

const byName = new Map(credentialTypes.map((type) => [type.name, type]));

export function credentialType(name: string): CredentialType | undefined {
  return byName.get(name);
}

/** Whether requests of any node can carry such a credential. */
export function authenticatesRequests({ authenticate, oauth2 }: CredentialType): boolean {
  return authenticate !== undefined || oauth2 !== undefined;
}

function withSharedParts({ extends: base, ...type }: Row): CredentialType {
  if (!type.oauth2) return type;
  const shared = base === undefined ? undefined : rows.find(({ name }) => name === base);
  const oauth2 = { ...shared?.oauth2, ...type.oauth2 };
  // A service account has a key of its own, and no login.
  if (oauth2.grantType === 'serviceAccount') return { ...type, oauth2 };
  const named = [...type.fields, ...(shared?.fields ?? [])];
  const own = new Set(named.map(({ name }) => name));
  const shown = oauth2.authUrl === undefined ? undefined : ['clientId', 'clientSecret', 'scope'];
  const fields = OAUTH2_FIELDS.filter(({ name }) => !own.has(name)).map((field): CredentialField => {
    const preset = oauth2[field.name as keyof typeof oauth2];
    const hidden = preset !== undefined || (shown !== undefined && !shown.includes(field.name));
    return { ...field, ...(preset !== undefined && { default: preset }), ...(hidden && { hidden }) };
  });
  return { ...type, oauth2, fields: [...named, ...fields] };
}

/** The JSON Schema of a type's data. */
export function dataSchema({ fields }: CredentialType): object {
  const properties = Object.fromEntries(
    fields.map(({ name, type, enum: values }) => [name, values ? { type, enum: values } : { type }]),
  );
  return { additionalProperties: false, type: 'object', properties, required: [] };
}

/**
 * Checks data and adds the defaults of missing fields. Numbers and switches may be written as text.
 * @throws ApiError 400
 */
export function readCredentialData(type: CredentialType, data: JsonObject): JsonObject {
  const read = Object.entries(data).map(([name, value]) => {
    const field = type.fields.find((candidate) => candidate.name === name);
    if (!field) {
      const names = type.fields.map((candidate) => candidate.name).join(', ');
      throw new ApiError(400, `request/body/data/${name} is not known to ${type.name} (it has: ${names})`);
    }
    return [name, readValue(field, value)] as const;
  });
  return withDefaults(type, Object.fromEntries(read));
}

/** The data with the defaults of missing fields. */
export function withDefaults({ fields }: CredentialType, data: JsonObject): JsonObject {
  const defaults = fields.flatMap((field) =>
    field.default === undefined ? [] : [[field.name, field.default] as const],
  );
  return { ...Object.fromEntries(defaults), ...data };
}

function readValue({ name, type, enum: allowed }: CredentialField, value: unknown): unknown {
  const converted = type === 'string' ? value : fromText(type, value);
  if (typeof converted !== type) throw new ApiError(400, `request/body/data/${name} must be ${type}`);
  if (allowed && !allowed.includes(converted as string)) {
    throw new ApiError(
      400,
      `request/body/data/${name} must be equal to one of the allowed values: ${allowed.join(', ')}`,
    );
  }
  return converted;
}

function fromText(type: 'number' | 'boolean', value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  return value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
}

/** The types of credentials, from `credential-types.json`. */
import { ApiError } from '#core/http';
import type { CredentialType, JsonObject } from '#core/workflow-format';
import table from './credential-types.json' with { type: 'json' };

export const credentialTypes = table as CredentialType[];

export function credentialType(name: string): CredentialType | undefined {
  return credentialTypes.find((type) => type.name === name);
}

/** The JSON Schema of a type's data. */
export function dataSchema({ fields }: CredentialType): object {
  const properties = Object.fromEntries(
    fields.map(({ name, type, enum: values }) => [name, values ? { type, enum: values } : { type }]),
  );
  return { additionalProperties: false, type: 'object', properties, required: [] };
}

/**
 * Checks data and adds the defaults of missing fields.
 * @throws ApiError 400
 */
export function readCredentialData(type: CredentialType, data: JsonObject): JsonObject {
  for (const [name, value] of Object.entries(data)) {
    const field = type.fields.find((candidate) => candidate.name === name);
    if (!field) {
      const names = type.fields.map((candidate) => candidate.name).join(', ');
      throw new ApiError(400, `request/body/data/${name} is not known to ${type.name} (it has: ${names})`);
    }
    if (typeof value !== 'string') throw new ApiError(400, `request/body/data/${name} must be string`);
    if (field.enum && !field.enum.includes(value)) {
      const allowed = field.enum.join(', ');
      throw new ApiError(
        400,
        `request/body/data/${name} must be equal to one of the allowed values: ${allowed}`,
      );
    }
  }
  const defaults = type.fields.flatMap((field) =>
    field.default === undefined ? [] : [[field.name, field.default] as const],
  );
  return { ...Object.fromEntries(defaults), ...data };
}

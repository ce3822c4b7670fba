/** Bodies of Stripe: forms whose names have brackets. */
import { isObject } from '#core/base';
import { getPath, type JsonObject } from '#core/workflow-format';

/** `{ address: { city: 'A' } }` -> `{ 'address[city]': 'A' }`. Groups of the node take the form that Stripe has. */
export function stripeForm(value: unknown): JsonObject {
  return isObject(value) ? bracketed(withoutGroups(value)) : {};
}

function withoutGroups({ address, shipping, metadata, ...fields }: JsonObject): JsonObject {
  const parcel = getPath(shipping, 'shippingProperties.0');
  const pairs = getPath(metadata, 'metadataProperties');
  return {
    ...fields,
    ...(address !== undefined && { address: detailsOf(address) }),
    ...(isObject(parcel) && { shipping: { ...parcel, address: detailsOf(parcel.address) } }),
    ...(Array.isArray(pairs) && {
      metadata: Object.fromEntries(pairs.map(({ key, value }) => [String(key), value])),
    }),
  };
}

function detailsOf(address: unknown): unknown {
  return getPath(address, 'details') ?? address;
}

function bracketed(fields: JsonObject, outer?: string): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => {
      const name = outer === undefined ? key : `${outer}[${key}]`;
      if (value === undefined || value === '') return [];
      return isObject(value) ? Object.entries(bracketed(value, name)) : [[name, value]];
    }),
  );
}

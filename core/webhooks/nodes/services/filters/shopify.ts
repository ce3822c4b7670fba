/** Orders of Shopify, whose fields have names with underscores. */
import { isObject } from '#core/base';
import { getPath, type JsonObject } from '#core/workflow-format';

/** The body of an order, from the fields of the node. */
export function shopifyOrder(value: unknown): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  const { lineItems, billingAddressUi, shippingAddressUi, discountCodesUi, ...fields } = value;
  const lists = {
    line_items: snakeList(lineItems),
    discount_codes: snakeList(getPath(discountCodesUi, 'discountCodesValues')),
    billing_address: snakeObject(getPath(billingAddressUi, 'billingAddressValues')),
    shipping_address: snakeObject(getPath(shippingAddressUi, 'shippingAddressValues')),
  };
  const filled = Object.entries(lists).filter(([, entry]) => entry !== undefined);
  return { ...snakeObject(fields), ...Object.fromEntries(filled) };
}

/** The query of the node's options. */
export function shopifyQuery(value: unknown): JsonObject | undefined {
  return snakeObject(value);
}

/** The options of a product: `{ name, value }` of the node. */
export function shopifyOptions(value: unknown): JsonObject[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter(isObject).map(({ name, value: values }) => ({
    name,
    values: String(values ?? '')
      .split(',')
      .map((entry) => entry.trim()),
  }));
}

function snakeList(value: unknown): JsonObject[] | undefined {
  return Array.isArray(value) ? value.filter(isObject).map((entry) => snakeObject(entry)!) : undefined;
}

function snakeObject(value: unknown): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  const named = Object.entries(value)
    .filter(([, field]) => field !== '' && field !== undefined)
    .map(([name, field]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), field]);
  return Object.fromEntries(named);
}

/** Fields and lines of QuickBooks as its API takes them. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import { objectList } from '../../shared/object-list.ts';

export const quickbooksHost = (environment: unknown) =>
  environment === 'sandbox'
    ? 'https://sandbox-quickbooks.api.intuit.com'
    : 'https://quickbooks.api.intuit.com';

/** The fields of a collection. References and addresses are groups there. */
export function quickbooksFields(value: unknown): JsonObject {
  if (!isObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(fieldOf));
}

function fieldOf([name, value]: [string, unknown]): [string, unknown] {
  const details = isObject(value) && isObject(value.details) ? value.details : {};
  if (name.endsWith('Addr') && name !== 'PrimaryEmailAddr') {
    return [name, Object.fromEntries(Object.entries(details).filter(([, part]) => part !== ''))];
  }
  if (name.endsWith('Ref')) return [name, { name: details.name, value: details.value }];
  switch (name) {
    case 'PrimaryEmailAddr':
    case 'BillEmail':
      return [name, { Address: value }];
    case 'PrimaryPhone':
      return [name, { FreeFormNumber: value }];
    case 'CustomerMemo':
      return [name, { value }];
    case 'TotalTax':
      return ['TxnTaxDetail', { TotalTax: value }];
    case 'CustomFields': {
      const fields = objectList(isObject(value) ? value.Field : undefined);
      return ['CustomField', fields.map((field) => ({ ...field, Type: 'StringType' }))];
    }
    default:
      return [name, value];
  }
}

/** Lines of bills, estimates and invoices. The kind of a line has its details. */
export function quickbooksLines(value: unknown): JsonObject[] {
  return objectList(value).map(({ accountId, itemId, TaxCodeRef, Qty, ...line }) => {
    switch (line.DetailType) {
      case 'AccountBasedExpenseLineDetail':
        return { ...line, AccountBasedExpenseLineDetail: { AccountRef: { value: accountId } } };
      case 'ItemBasedExpenseLineDetail':
        return { ...line, ItemBasedExpenseLineDetail: { ItemRef: { value: itemId } } };
      default: {
        const details = {
          ItemRef: { value: itemId },
          ...(TaxCodeRef !== undefined && { TaxCodeRef: { value: TaxCodeRef } }),
          ...(Qty !== undefined && { Qty }),
        };
        return { DetailType: 'SalesItemLineDetail', ...line, SalesItemLineDetail: details };
      }
    }
  });
}

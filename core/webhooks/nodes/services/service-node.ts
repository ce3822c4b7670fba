/** Makes a node of a service's description. */

import { isObject } from '#core/base';
import {
  type Item,
  includesVersion,
  meetsConditions,
  type NodeSettings,
  nodeSettings,
  type Parameter,
  shownParameters,
} from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { failedItem, perItem } from '../../node-api/per-item.ts';
import { authenticationOf, PREDEFINED_TYPES } from '../network/http-request/authentication.ts';
import type { Operation, ServiceDescription } from './description.ts';
import { labelOf, parametersOf } from './fields.ts';
import { runOperation, type ServiceCall } from './run-operation.ts';

/**
 * Works on all items at once, where requests depend on one another.
 * @returns the items, paired with those that they were made of
 */
export type OperationHandler = (call: Omit<ServiceCall, 'index' | 'item'>) => Promise<Item[]>;

/** @param handlers the operations `resource.operation` that are more than requests of a template */
export function serviceNode(
  service: ServiceDescription,
  handlers: Record<string, OperationHandler> = {},
): NodeType {
  const { name, label, description, versions, credentials } = service;
  const type: NodeType = {
    name,
    label,
    description,
    group: 'network',
    versions,
    inputs: 1,
    outputs: ['main'],
    credentials: credentials.map(({ type: credential, when, versions: range }) => ({
      type: credential,
      required: true,
      ...(when && { show: when }),
      ...(range && { versions: range }),
    })),
    parameters: parametersOfService(service),
    issues: (settings) => {
      const chosen = chosenOperation(service, settings);
      return typeof chosen === 'string' ? [chosen] : [];
    },
    async execute(context) {
      const operation = chosenOperation(service, nodeSettings(type, context.node));
      if (typeof operation === 'string') throw new NodeError(operation);
      const settings = nodeSettings(type, context.node);
      const access = await accessOf(service, context, settings);
      const hidden = hiddenNames(type, settings);
      const call = { service, operation, context, hidden, ...access };
      const handler = operation.handler === undefined ? undefined : handlers[operation.handler];
      if (handler) return [await handler(call).catch((error) => [failedItem(context, error, 0)])];
      return perItem(context, async (item, index) => runOperation({ ...call, index, item }));
    },
  };
  return type;
}

/** The operation that the node is set to, or why it cannot run. */
function chosenOperation(
  { resources, label }: ServiceDescription,
  settings: NodeSettings,
): Operation | string {
  const implied = Object.values(resources).find(({ when }) => when && meetsConditions(when, settings));
  const resource = String(settings.get('resource') ?? '');
  const named = Object.hasOwn(resources, resource) ? resources[resource] : undefined;
  const { operations = {} } = implied ?? named ?? {};
  const name = String(settings.get('operation') ?? '');
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (!operation) {
    const known = Object.keys(Object.keys(operations).length > 0 ? operations : resources).join(', ');
    return `${label} has no operation "${name}" of "${resource}" here (it has: ${known}): use HTTP Request with its credential`;
  }
  const unsupported = operation.unsupported?.find((path) => isSet(settings.get(path)));
  if (unsupported === undefined) return operation;
  return `${label} cannot use "${labelOf(unsupported.split('.').at(-1)!)}" here`;
}

function isSet(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isObject(value)) return Object.values(value).some(isSet);
  return value !== undefined && value !== null && value !== '' && value !== false;
}

/** Names of parameters that these settings do not show. What they hold has no effect. */
function hiddenNames({ parameters }: NodeType, settings: NodeSettings): Set<string> {
  const shown = new Set(shownParameters(parameters, settings).map(({ name }) => name));
  return new Set(parameters.map(({ name }) => name).filter((name) => !shown.has(name)));
}

async function accessOf({ credentials }: ServiceDescription, context: NodeContext, settings: NodeSettings) {
  const { type } =
    credentials.find(
      ({ when, versions }) => includesVersion(context.version, versions) && meetsConditions(when, settings),
    ) ?? {};
  if (type === undefined) return { credential: {}, authentication: { headers: {}, query: {}, body: {} } };
  const credential = await context.credential(type);
  const authentication = PREDEFINED_TYPES.includes(type)
    ? await authenticationOf(context, type)
    : { headers: {}, query: {}, body: {} };
  return { credential, authentication };
}

function parametersOfService(service: ServiceDescription): Parameter[] {
  const { fields = {}, resources, defaultResource } = service;
  const named = Object.keys(resources).filter((name) => !resources[name]!.when);
  const operations = Object.entries(resources).map(([name, { when, ...resource }]): Parameter => {
    const keys = Object.keys(resource.operations);
    return {
      ...choiceOf('operation', keys, resource.default ?? keys[0]!),
      show: when ?? { resource: [name] },
    };
  });
  const implied = operations.filter((_operation, index) => Object.values(resources)[index]!.when);
  return [
    ...parametersOf(fields),
    choiceOf('resource', named, defaultResource ?? named[0]!),
    // The first description that is shown counts, and those chosen by conditions go before those chosen by name.
    ...implied,
    ...operations.filter((operation) => !implied.includes(operation)),
    ...Object.entries(resources).flatMap(([name, resource]) => parametersOfResource(service, name, resource)),
  ];
}

function parametersOfResource(
  { sets = {} }: ServiceDescription,
  name: string,
  { when, operations }: ServiceDescription['resources'][string],
): Parameter[] {
  return Object.entries(operations).flatMap(([operation, description]) => {
    const show = { ...(when ?? { resource: [name] }), operation: [operation] };
    const paging = description.page
      ? { returnAll: false, limit: { type: 50, when: { returnAll: [false] } } }
      : {};
    const shared = (description.use ?? []).map((set) => sets[set]!);
    return parametersOf(Object.assign({}, paging, ...shared, description.fields), show);
  });
}

function choiceOf(name: string, values: string[], value: string): Parameter {
  const options = values.map((choice) => ({ value: choice, label: labelOf(choice) }));
  return { name, label: labelOf(name), type: 'options', default: value, literal: true, options };
}

import {
  type Item,
  meetsConditions,
  type NodeSettings,
  nodeSettings,
  type Parameter,
} from '#core/workflow-format';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { failedItem, perItem } from '../../node-api/per-item.ts';
import { askParameters } from '../shared/ask/parameters.ts';
import { readQuestion, waitForAnswer } from '../shared/ask/question.ts';
import { questionHtml } from '../shared/ask/question-html.ts';
import { credentialsOf, openCall, unsupportedIssue } from './access.ts';
import type { Operation, ServiceDescription } from './description.ts';
import { labelOf, parametersOf } from './fields.ts';
import { runOperation } from './run-operation.ts';
import type { ServiceCall } from './service-call.ts';

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
  const { name, label, description, versions } = service;
  const type: NodeType = {
    name,
    label,
    description,
    group: 'network',
    versions,
    inputs: 1,
    outputs: ['main'],
    credentials: credentialsOf(service),
    parameters: parametersOfService(service),
    issues: (settings) => {
      const chosen = chosenOperation(service, settings);
      return [...choiceIssues(service, settings), ...(typeof chosen === 'string' ? [chosen] : [])];
    },
    async execute(context) {
      const operation = chosenOperation(service, nodeSettings(type, context.node));
      if (typeof operation === 'string') throw new NodeError(operation);
      const call = await openCall(service, type, context);
      const handler = operation.handler === undefined ? undefined : handlers[operation.handler];
      if (handler) return [await handler(call).catch((error) => [failedItem(context, error, 0)])];
      if (operation.asks) return [await askPerson(call, operation)];
      return perItem(context, async (item, index) =>
        operation.once && index > 0 ? [] : runOperation({ ...call, index, item }, operation),
      );
    },
  };
  return type;
}

/** Sends the question once. At the end of the wait the answer replaces the items. */
async function askPerson(call: Omit<ServiceCall, 'index' | 'item'>, operation: Operation): Promise<Item[]> {
  const { context } = call;
  const [item = { json: {} }] = context.items();
  const question = await readQuestion(context);
  const ask = { ...question, html: questionHtml(question), version: context.version };
  await runOperation({ ...call, index: 0, item }, operation, { ask });
  await waitForAnswer(context);
  return context.items();
}

/** Choices for all operations that must be among those of the description. */
const CHECKED = ['authentication', 'version'];

/** A way to log in, or a version of the API, that is not there. */
function choiceIssues({ fields = {}, label }: ServiceDescription, { get }: NodeSettings): string[] {
  return CHECKED.flatMap((name) => {
    const choices = fields[name];
    const chosen = String(get(name));
    // An expression is known only when the node runs.
    const isOpen = !Array.isArray(choices) || chosen.startsWith('=');
    if (isOpen || choices.map(String).includes(chosen)) return [];
    return [`${label} cannot use the ${name} "${chosen}" here (it has: ${choices.join(', ')})`];
  });
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
    const names = Object.keys(Object.keys(operations).length > 0 ? operations : resources).join(', ');
    return `${label} has no operation "${name}" of "${resource}" here (it has: ${names}): use HTTP Request with its credential`;
  }
  return unsupportedIssue(label, operation.unsupported, settings) ?? operation;
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
    const questions = description.asks ? askParameters(show) : [];
    return [...parametersOf(Object.assign({}, paging, ...shared, description.fields), show), ...questions];
  });
}

function choiceOf(name: string, values: string[], value: string): Parameter {
  const options = values.map((choice) => ({ value: choice, label: labelOf(choice) }));
  return { name, label: labelOf(name), type: 'options', default: value, literal: true, options };
}

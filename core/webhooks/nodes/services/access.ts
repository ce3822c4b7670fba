/** Reads the settings of nodes of services: the credential, and parameters without effect. */
import { isObject } from '#core/base';
import {
  getPath,
  includesVersion,
  meetsConditions,
  type NodeSettings,
  nodeSettings,
  shownParameters,
} from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { authenticationOf, PREDEFINED_TYPES } from '../network/http-request/authentication.ts';
import type { ServiceBase } from './description.ts';
import { labelOf } from './fields.ts';
import type { ServiceCall } from './service-call.ts';

/** The credentials that a node of the service offers. */
export const credentialsOf = ({ credentials }: ServiceBase): NonNullable<NodeType['credentials']> =>
  credentials.map(({ type, when, versions }) => ({
    type,
    required: true,
    ...(when && { show: when }),
    ...(versions && { versions }),
  }));

/** The use of a service that belongs to no item. */
export async function callWithoutItem(
  service: ServiceBase,
  type: NodeType,
  context: NodeContext,
): Promise<ServiceCall> {
  return { ...(await openCall(service, type, context)), index: 0, item: { json: {} } };
}

/** The use of a service for all items. Rejects when its credential is missing. */
export async function openCall(
  service: ServiceBase,
  type: NodeType,
  context: NodeContext,
): Promise<Omit<ServiceCall, 'index' | 'item'>> {
  const settings = nodeSettings(type, context.node);
  const access = await accessOf(service, context, settings);
  return { service, context, shared: {}, hidden: hiddenNames(type, settings), ...access };
}

/** The credential that the settings choose, and what it adds to requests. */
async function accessOf({ credentials }: ServiceBase, context: NodeContext, settings: NodeSettings) {
  const none = { headers: {}, query: {}, body: {} };
  const chosen = credentials.find(
    ({ when, versions }) => includesVersion(context.version, versions) && meetsConditions(when, settings),
  );
  if (!chosen) return { credential: {}, authentication: none };
  const { type } = chosen;
  const credential = await context.credential(type);
  return {
    credential,
    authentication:
      PREDEFINED_TYPES.includes(type) && !chosen.isUnsigned
        ? await authenticationOf(context, type, chosen.scope)
        : none,
  };
}

/** Names of parameters that these settings do not show. What they hold has no effect. */
function hiddenNames({ parameters }: NodeType, settings: NodeSettings): Set<string> {
  const shown = new Set(shownParameters(parameters, settings).map(({ name }) => name));
  return new Set(parameters.map(({ name }) => name).filter((name) => !shown.has(name)));
}

/** Why a node with these settings is refused. */
export function unsupportedIssue(
  label: string,
  paths: string[] | undefined,
  { get }: NodeSettings,
): string | undefined {
  const path = paths?.find((candidate) => isSetAt(get, candidate));
  return path === undefined ? undefined : `${label} cannot use "${labelOf(path.split('.').at(-1)!)}" here`;
}

/** Whether a parameter is set, also within the groups of a list. */
function isSetAt(get: NodeSettings['get'], path: string): boolean {
  if (isSet(get(path))) return true;
  const [name = '', group = '', ...rest] = path.split('.');
  const list = rest.length > 0 ? get(`${name}.${group}`) : undefined;
  return Array.isArray(list) && list.some((entry) => isSet(getPath(entry, rest.join('.'))));
}

function isSet(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isObject(value)) return Object.values(value).some(isSet);
  return value !== undefined && value !== null && value !== '' && value !== false;
}
